import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { pythonValueRules } from './values.ts'

testRules(pythonValueRules, {
  'py/mutable-default': {
    bad: [
      bad(
        'def add(item, items=[]):\n    items.append(item)\n    return items\n',
        'def add(item, items=None):\n    if items is None:\n        items = []\n    items.append(item)\n    return items\n',
      ),
      bad(
        'class A:\n  @cached\n  async def add(self, options={}):\n    """Adds."""\n    return options\n',
        'class A:\n  @cached\n  async def add(self, options=None):\n    """Adds."""\n    if options is None:\n      options = {}\n    return options\n',
      ),
      bad('def f(a: set = set()):\r\n    return a\r\n'),
      bad(
        'from typing import Optional\ndef f(a: list[int] = []):\n\treturn a\n',
        'from typing import Optional\ndef f(a: Optional[list[int]] = None):\n\tif a is None:\n\t\ta = []\n\treturn a\n',
      ),
      bad(
        'from __future__ import annotations\r\ndef f(a: dict = dict()):\r\n    # keep\r\n    return a\r\n',
        'from __future__ import annotations\r\ndef f(a: dict | None = None):\r\n    # keep\r\n    if a is None:\r\n        a = dict()\r\n    return a\r\n',
      ),
      bad('def f(a=[]): return a'),
      bad('def f(called=[0]):\n    called[0] += 1\n'),
      bad('def f(a=[x]):\n    return a\n'),
    ],
    good: [
      'def f(a=None):\n    return a or []',
      'def f(a=(), b=""):\n    pass',
      'x = dict(a=[])',
      'f(a=[])',
      'lambda a=[]: a',
      'def f(n, _cache={}):\n    return n',
      'def f(options={}):\n    return options.get("a")',
      'def f(items=[]):\n    items = list(items)\n    items.append(1)\n    return items',
    ],
  },
  'py/negative-length': {
    bad: [
      bad('if len(items) >= 0:\n    pass', 'if len(items) > 0:\n    pass'),
      bad('x = len(a.b) < 0', 'x = len(a.b) == 0'),
    ],
    good: ['if len(items) > 0:\n    pass', 'if count >= 0:\n    pass', 'if 0 < len(items):\n    pass'],
  },
  'py/bare-except': {
    bad: [
      bad('try:\n    a()\nexcept:\n    log()', 'try:\n    a()\nexcept Exception:\n    log()'),
      bad('try:\n    a()\nexcept :\n    pass', 'try:\n    a()\nexcept Exception :\n    pass'),
    ],
    good: [
      'try:\n    a()\nexcept ValueError:\n    log()',
      'try:\n    a()\nexcept:\n    clean()\n    raise',
      'try:\n    a()\nfinally:\n    b()',
    ],
  },
  'py/raise-without-from': {
    bad: [
      bad(
        'try:\n    a()\nexcept KeyError as e:\n    raise ValueError("no")',
        'try:\n    a()\nexcept KeyError as e:\n    raise ValueError("no") from e',
      ),
      bad(
        'try:\n    a()\nexcept (A, B) as error:\n    if x:\n        raise mine.Error(str(error))\n',
        'try:\n    a()\nexcept (A, B) as error:\n    if x:\n        raise mine.Error(str(error)) from error\n',
      ),
    ],
    good: [
      'try:\n    a()\nexcept KeyError as e:\n    raise ValueError("no") from e',
      'try:\n    a()\nexcept KeyError as e:\n    raise ValueError("no") from None',
      'try:\n    a()\nexcept KeyError:\n    raise ValueError("no")',
      'try:\n    a()\nexcept KeyError as e:\n    raise e.with_traceback(None)',
      'try:\n    a()\nexcept KeyError as e:\n    raise SystemExit(1)',
      'try:\n    a()\nexcept KeyError as e:\n    raise',
    ],
  },
})

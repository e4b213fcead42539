import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { pythonErrorRules } from './errors.ts'

testRules(pythonErrorRules, {
  'py/assert-tuple': {
    bad: [
      bad('assert (x > 1, "too small")', 'assert x > 1, "too small"'),
      bad('assert (\n    x > 1,\n    "too small",\n)'),
    ],
    good: ['assert x > 1, "too small"', 'assert (x > 1), "too small"', 'assert x in (1, 2)', 'assert ()'],
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
  'py/silent-except': {
    bad: [
      bad('try:\n    a()\nexcept Exception:\n    pass'),
      bad('try:\n    a()\nexcept BaseException as e:\n    ...'),
    ],
    good: [
      'try:\n    a()\nexcept KeyError:\n    pass',
      'try:\n    a()\nexcept Exception:\n    # absent is fine\n    pass',
      'try:\n    a()\nexcept Exception:\n    pass  # absent is fine\n',
      'try:\n    a()\nexcept Exception as e:\n    log(e)',
    ],
  },
  'py/raise-not-implemented': {
    bad: [
      bad('def f():\n    raise NotImplemented', 'def f():\n    raise NotImplementedError'),
      bad("def f():\n    raise NotImplemented('later')", "def f():\n    raise NotImplementedError('later')"),
    ],
    good: [
      'def f():\n    raise NotImplementedError',
      'def __eq__(self, o):\n    return NotImplemented',
      'raise NotImplementedYet()',
    ],
  },
  'py/finally-return': {
    bad: [bad('def f():\n    try:\n        a()\n    finally:\n        return 1')],
    good: [
      'def f():\n    try:\n        return a()\n    finally:\n        b()',
      'def f():\n    try:\n        a()\n    finally:\n        def g():\n            return 1\n        g()',
      'def f():\n    try:\n        a()\n    except ValueError:\n        return 1',
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
  'py/unraised-exception': {
    bad: [bad('if not user:\n    ValueError("no user")', 'if not user:\n    raise ValueError("no user")')],
    good: ['raise ValueError("x")', 'e = ValueError("x")', 'log(ValueError("x"))', 'ValueErrorView()'],
  },
  'py/blocking-sleep': {
    bad: [
      bad(
        '"""Doc."""\nfrom __future__ import annotations\nimport time\n\nasync def f():\n    time.sleep(1)\n',
        '"""Doc."""\nfrom __future__ import annotations\nimport asyncio\nimport time\n\nasync def f():\n    await asyncio.sleep(1)\n',
      ),
      bad(
        'import asyncio\nimport time\nasync def f():\n    if x:\n        time.sleep(n * 2)\n',
        'import asyncio\nimport time\nasync def f():\n    if x:\n        await asyncio.sleep(n * 2)\n',
      ),
      bad('import time\nasync def f():\n    x = [time.sleep(1)]\n'),
    ],
    good: [
      'import time\ndef f():\n    time.sleep(1)',
      'async def f():\n    await asyncio.sleep(1)',
      'async def f():\n    def g():\n        time.sleep(1)\n    await run(g)',
      'async def f():\n    await run(lambda: time.sleep(1))',
    ],
  },
  'py/unawaited-coroutine': {
    bad: [
      bad('async def f():\n    asyncio.sleep(1)', 'async def f():\n    await asyncio.sleep(1)'),
      bad(
        'async def save(x):\n    pass\n\nasync def f():\n    save(1)\n',
        'async def save(x):\n    pass\n\nasync def f():\n    await save(1)\n',
      ),
      bad('async def save(x):\n    pass\n\ndef f():\n    save(1)\n'),
    ],
    good: [
      'async def f():\n    await asyncio.sleep(1)',
      'def save(x):\n    pass\n\nasync def f():\n    save(1)\n',
      '@task\nasync def save(x):\n    pass\n\ndef f():\n    save(1)\n',
      'async def main():\n    pass\n\nasyncio.run(main())\n',
      'class A:\n    async def save(self):\n        pass\n\nsave()\n',
    ],
  },
})

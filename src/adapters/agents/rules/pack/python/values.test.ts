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
    ],
  },
  'py/none-comparison': {
    bad: [
      bad('if user == None:\n    pass', 'if user is None:\n    pass'),
      bad('while a and b != None:\n    pass', 'while a and b is not None:\n    pass'),
      bad('x = 1 if None == y else 2', 'x = 1 if None is y else 2'),
    ],
    good: [
      'if user is None:\n    pass',
      'query.filter(User.deleted == None)',
      'rows = df[df.name == None]',
      'mask = column == None',
      'if a == b == None:\n    pass',
    ],
  },
  'py/is-literal': {
    bad: [
      bad('if mode is "fast":\n    pass', 'if mode == "fast":\n    pass'),
      bad('x = count is not 0', 'x = count != 0'),
      bad('assert items is []', 'assert items == []'),
    ],
    good: [
      'if x is None:\n    pass',
      'if x is True:\n    pass',
      'if x == "a":\n    pass',
      'if x is y:\n    pass',
    ],
  },
  'py/negative-length': {
    bad: [
      bad('if len(items) >= 0:\n    pass', 'if len(items) > 0:\n    pass'),
      bad('x = len(a.b) < 0', 'x = len(a.b) == 0'),
    ],
    good: ['if len(items) > 0:\n    pass', 'if count >= 0:\n    pass', 'if 0 < len(items):\n    pass'],
  },
  'py/duplicate-key': {
    bad: [
      bad("a = {'x': 1, 'y': 2, \"x\": 3}"),
      bad("a = {'x': 1, 'y': 2, 'x': 1}", "a = {'x': 1, 'y': 2}"),
      bad('a = {\n    1: f,\n    2: g,\n    1: f,\n}\n', 'a = {\n    1: f,\n    2: g,\n}\n'),
    ],
    good: ["a = {'x': 1, **b, 'x': 2}", "a = {'x': {'x': 1}}", 'a = {x: 1, x: 2}', "a = {'x': 1, b'x': 2}"],
  },
  'py/repeated-list': {
    bad: [
      bad('grid = [[0] * width] * height', 'grid = [[0] * width for _ in range(height)]'),
      bad('a = [[]] * n', 'a = [[] for _ in range(n)]'),
      bad('a = [{}] * len(b)', 'a = [{} for _ in range(len(b))]'),
    ],
    good: [
      'a = [0] * n',
      'a = [None] * n',
      'a = [(1, 2)] * n',
      'a = [[] for _ in range(3)]',
      'a = [[], []] + b',
    ],
  },
  'py/strip-affix': {
    bad: [
      bad("name = path.rstrip('.json')", "name = path.removesuffix('.json')"),
      bad('host = url.lstrip("https://")', 'host = url.removeprefix("https://")'),
      bad(
        "branch = ref.lstrip('refs/heads/')".replace('refs/heads/', 'origin/'),
        "branch = ref.removeprefix('origin/')",
      ),
    ],
    good: [
      "text.rstrip('.')",
      "text.lstrip('/')",
      "text.rstrip('\\r\\n')",
      "text.rstrip('0123')",
      'text.rstrip()',
      "text.lstrip('abc')",
    ],
  },
  'py/utcnow': {
    bad: [bad('now = datetime.utcnow()'), bad('t = datetime.datetime.utcfromtimestamp(x)')],
    good: ['now = datetime.now(timezone.utc)', 'now = clock.utcnow()', 'now = datetime.now()'],
  },
})

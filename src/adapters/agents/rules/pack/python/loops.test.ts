import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { pythonLoopRules } from './loops.ts'

testRules(pythonLoopRules, {
  'py/loop-closure': {
    bad: [
      bad(
        'for i in items:\n    jobs.append(lambda: run(i))',
        'for i in items:\n    jobs.append(lambda i=i: run(i))',
      ),
      bad('jobs = [lambda x: x + n for n in numbers]', 'jobs = [lambda x, n=n: x + n for n in numbers]'),
      bad(
        'for k, v in pairs:\n    table[k] = lambda: v.name',
        'for k, v in pairs:\n    table[k] = lambda v=v: v.name',
      ),
      bad('for k in keys:\n    jobs.append(lambda *a: run(k, a))'),
    ],
    good: [
      'for i in items:\n    jobs.append(lambda i=i: run(i))',
      'for i in items:\n    rows.sort(key=lambda row: row[i])',
      'for i in items:\n    jobs.append(lambda: run())',
      'for i in items:\n    jobs.append(lambda x: x.i)',
      'def f():\n    jobs.append(lambda: run(i))',
      'for i in items:\n    def make(i):\n        jobs.append(lambda: run(i))',
    ],
  },
  'py/mutated-iteration': {
    bad: [
      bad(
        'for x in items:\n    if x.old:\n        items.remove(x)\n',
        'for x in list(items):\n    if x.old:\n        items.remove(x)\n',
      ),
      bad(
        'for k in self.cache.keys():\n    del self.cache[k]\n',
        'for k in list(self.cache.keys()):\n    del self.cache[k]\n',
      ),
      bad('for k, v in d.items():\n    d.pop(k)\n', 'for k, v in list(d.items()):\n    d.pop(k)\n'),
    ],
    good: [
      'for x in list(items):\n    items.remove(x)',
      'for x in items:\n    if x.old:\n        items.remove(x)\n        break',
      'for x in items:\n    others.remove(x)',
      'for node in nodes:\n    nodes.append(node.child)',
      'for x in items:\n    items_by_name.pop(x)',
      'for x in self:\n    self.discard(x)',
      'for x in items[:]:\n    items.remove(x)',
    ],
  },
  'py/missing-f-prefix': {
    bad: [
      bad('def f(name):\n    print("Hello {name}")', 'def f(name):\n    print(f"Hello {name}")'),
      bad(
        "def f(user):\n    raise ValueError('no {user.id}')",
        "def f(user):\n    raise ValueError(f'no {user.id}')",
      ),
    ],
    good: [
      'def f(name):\n    print(f"Hello {name}")',
      'def f(name):\n    print("Hello {name}".format(name=name))',
      'print("Hello {name}")',
      'def f(name):\n    log.info("Hello {name}")',
      'def f(name):\n    print("{name} {}")',
      'def f(name):\n    print("{name}", name)',
    ],
  },
})

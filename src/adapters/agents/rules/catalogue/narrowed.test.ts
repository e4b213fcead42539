import { bad, testRules } from '../../../../../test/fixtures/rule-table.ts'
import { pythonRules } from './python.ts'

testRules(
  pythonRules.filter(({ id }) => id.startsWith('py/')),
  {
    'py/mutable-default': {
      bad: [
        bad(
          'def add(item, items=[]):\n    items.append(item)\n    return items\n',
          'def add(item, items=None):\n    if items is None:\n        items = []\n    items.append(item)\n    return items\n',
        ),
        bad(
          'class A:\n  @cached\n  async def add(self, options={}):\n    """Adds."""\n    options["a"] = 1\n',
          'class A:\n  @cached\n  async def add(self, options=None):\n    """Adds."""\n    if options is None:\n      options = {}\n    options["a"] = 1\n',
        ),
        bad(
          'def f(orders, totals={}):\n    for order in orders:\n        totals[order["sku"]] = 1\n',
          'def f(orders, totals=None):\n    if totals is None:\n        totals = {}\n    for order in orders:\n        totals[order["sku"]] = 1\n',
        ),
      ],
      good: [
        'def f(a=None):\n    return a or []',
        'def f(a=(), b=""):\n    pass',
        'def f(n, _cache={}):\n    _cache[n] = 1',
        'def f(options={}):\n    return options.get("a")',
        'def f(default=[]):\n    return default',
        'def f(options={}):\n    name = options.pop("name", None)\n    return name',
        'def f(items=[]):\n    items = list(items)\n    items.append(1)\n    return items',
        'def f(items=[]):\n    pass\ndef g(items):\n    items.append(1)\n',
      ],
    },
    'py/bare-except': {
      bad: [
        bad('try:\n    a()\nexcept:\n    log()', 'try:\n    a()\nexcept Exception:\n    log()'),
        bad('try:\n    a()\nexcept :\n    pass', 'try:\n    a()\nexcept Exception :\n    pass'),
      ],
      good: [
        'try:\n    a()\nexcept ValueError:\n    log()',
        'try:\n    a()\nexcept:\n    clean()\n    raise',
        'try:\n    a()\nexcept:\n    # whatever the object throws\n    pass\n',
        'try:\n    import json\nexcept:\n    import simplejson as json\n',
        'if a:\n    try:\n        from a import _\n        _()\n    except:\n        pass\n',
        'class A:\n    def __del__(self):\n        try:\n            a()\n        except:\n            pass\n',
      ],
    },
    'py/raise-without-from': {
      bad: [
        bad(
          'try:\n    a()\nexcept KeyError as e:\n    raise ValueError("no")',
          'try:\n    a()\nexcept KeyError as e:\n    raise ValueError("no") from e',
        ),
        bad(
          'try:\n    a()\nexcept (A, B) as error:\n    if x:\n        raise mine.Error(\n            f"no {error}")\n',
          'try:\n    a()\nexcept (A, B) as error:\n    if x:\n        raise mine.Error(\n            f"no {error}") from error\n',
        ),
      ],
      good: [
        'try:\n    a()\nexcept KeyError as e:\n    raise ValueError("no") from None',
        'try:\n    a()\nexcept KeyError:\n    raise ValueError("no")',
        'try:\n    a()\nexcept KeyError as e:\n    raise e.with_traceback(None)',
        'try:\n    a()\nexcept TokenError as e:\n    raise InvalidToken(e.args[0])',
        'try:\n    a()\nexcept KeyError as e:\n    raise SystemExit(1)',
        'try:\n    a()\nexcept KeyError as e:\n    raise',
        'from __future__ import unicode_literals\ntry:\n    a()\nexcept KeyError as e:\n    raise ValueError("no")',
      ],
    },
    'py/insecure-random': {
      bad: [
        bad(
          'import random\ntoken = random.choice(letters)',
          'import random\ntoken = random.SystemRandom().choice(letters)',
        ),
        bad(
          'import random\ndef make_password(n):\n    return "".join(random.choices(letters, k=n))',
          'import random\ndef make_password(n):\n    return "".join(random.SystemRandom().choices(letters, k=n))',
        ),
        bad(
          'import random\nUser(otp=random.randint(0, 9999))',
          'import random\nUser(otp=random.SystemRandom().randint(0, 9999))',
        ),
      ],
      good: [
        'import random\nangle = random.random()',
        'import random\ntoken_count = random.randint(1, 9)',
        'import random\nrequest = {"nonce": random.random()}',
      ],
    },
    'py/sql-injection': {
      bad: [
        bad('def f():\n    db.execute(f"SELECT * FROM users WHERE id = {request.args[\'id\']}")'),
        bad(
          'def f():\n    name = request.form["name"]\n    db.execute("DELETE FROM users WHERE name = \'%s\'" % name)',
        ),
      ],
      good: [
        'cursor.execute("SELECT * FROM users WHERE id = %s", (request.args["id"],))',
        'def f(table):\n    cursor.execute(f"SELECT * FROM {table} WHERE id = ?", (user_id,))',
        'def f():\n    n = int(request.args["n"])\n    db.execute(f"SELECT * FROM users LIMIT {n}")',
      ],
    },
    'py/shell-injection': {
      bad: [
        bad('import subprocess\ndef f():\n    subprocess.run(f"ping {request.args[\'host\']}", shell=True)'),
      ],
      good: [
        'import subprocess\ndef f(host):\n    subprocess.run(f"ping {host}", shell=True)',
        'import subprocess\ndef f():\n    subprocess.run(["ping", request.args["host"]])',
      ],
    },
    'py/system-injection': {
      bad: [bad('import os\ndef f():\n    host = request.args["host"]\n    os.system("ping " + host)')],
      good: ['import os\nos.system("ls")', 'import os\ndef f(host):\n    os.system("ping " + host)'],
    },
    'py/code-injection': {
      bad: [bad('def f():\n    return eval(request.args["sum"])')],
      good: ['eval("1 + 1")', 'def f(module):\n    return eval("%s.x" % module)'],
    },
  },
)

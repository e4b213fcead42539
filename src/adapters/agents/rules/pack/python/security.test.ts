import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { pythonSecurityRules } from './security.ts'

// Put together here, so that no scanner takes this file for a leak.
const githubToken = `ghp_${'a1B2'.repeat(9)}`

testRules(pythonSecurityRules, {
  'py/insecure-random': {
    bad: [
      bad('token = random.choice(letters)', 'token = random.SystemRandom().choice(letters)'),
      bad(
        'def make_password(n):\n    return "".join(random.choices(letters, k=n))',
        'def make_password(n):\n    return "".join(random.SystemRandom().choices(letters, k=n))',
      ),
      bad('User(otp=random.randint(0, 9999))', 'User(otp=random.SystemRandom().randint(0, 9999))'),
    ],
    good: [
      'angle = random.random()',
      'token = secrets.token_hex()',
      'token_count = random.randint(1, 9)',
      'token = rng.choice(x)',
    ],
  },
  'py/hardcoded-credential': {
    bad: [bad(`client = connect("${githubToken}")`), bad(`header = b'Bearer ${githubToken}'`)],
    good: ["key = 'AKIAIOSFODNN7EXAMPLE'", "key = os.environ['API_KEY']", "password = 'password'"],
  },
  'py/sql-injection': {
    bad: [
      bad('cursor.execute(f"SELECT * FROM users WHERE id = {user_id}")'),
      bad('cursor.execute("DELETE FROM users WHERE name = \'%s\'" % name)'),
      bad('db.execute("select a from b where c = " + c)'),
      bad('db.execute(text("select a from b where c = {}".format(c)))'),
      bad('db.execute("""\n    UPDATE users SET name = \'{}\'\n""".format(name))'),
    ],
    good: [
      'cursor.execute("SELECT * FROM users WHERE id = %s", (user_id,))',
      'cursor.execute(f"SELECT * FROM {TABLE} WHERE id = ?", (user_id,))',
      'cursor.execute(query)',
      'pool.execute(f"job {name}")',
      'cursor.execute("SELECT a FROM b " "WHERE c = 1")',
    ],
  },
})

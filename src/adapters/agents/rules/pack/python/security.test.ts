import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { pythonSecurityRules } from './security.ts'

// Put together here, so that no scanner takes this file for a leak.
const githubToken = `ghp_${'a1B2'.repeat(9)}`

testRules(pythonSecurityRules, {
  'py/tls-verification-off': {
    bad: [
      bad('requests.get(url, verify=False)', 'requests.get(url, verify=True)'),
      bad('self.session.post(url, json=x, verify=False)', 'self.session.post(url, json=x, verify=True)'),
      bad('context = ssl._create_unverified_context()', 'context = ssl.create_default_context()'),
    ],
    good: ['requests.get(url)', 'requests.get(url, verify=path)', 'check(x, verify=False)', 'verify = False'],
  },
  'py/request-timeout': {
    bad: [
      bad('r = requests.get(url)', 'r = requests.get(url, timeout=30)'),
      bad('requests.post(\n    url,\n    json=x,\n)', 'requests.post(\n    url,\n    json=x, timeout=30,\n)'),
    ],
    good: [
      'requests.get(url, timeout=5)',
      'requests.get(url, **options)',
      'session.get(url)',
      'requests.Session()',
    ],
  },
  'py/insecure-temp-file': {
    bad: [
      bad('path = tempfile.mktemp()', 'path = tempfile.NamedTemporaryFile(delete=False).name'),
      bad(
        "p = tempfile.mktemp(suffix='.x')",
        "p = tempfile.NamedTemporaryFile(suffix='.x', delete=False).name",
      ),
      bad("p = tempfile.mktemp('.x')"),
    ],
    good: ['tempfile.mkstemp()', 'tempfile.mkdtemp()', 'other.mktemp()'],
  },
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
  'py/weak-password-hash': {
    bad: [
      bad('hashlib.md5(password.encode()).hexdigest()'),
      bad("h = hashlib.sha1(user.password.encode('utf-8'))"),
    ],
    good: ['hashlib.md5(content).hexdigest()', 'hashlib.sha256(token)', 'hashlib.md5(password_file_content)'],
  },
  'py/flask-debug': {
    bad: [
      bad('from flask import Flask\napp.run(debug=True)', 'from flask import Flask\napp.run(debug=False)'),
    ],
    good: [
      'from flask import Flask\napp.run()',
      'app.run(debug=True)',
      'import flask\napp.run(debug=settings.debug)',
    ],
  },
  'py/tar-extract-all': {
    bad: [
      bad(
        'with tarfile.open(p) as tar:\n    tar.extractall(target)\n',
        "with tarfile.open(p) as tar:\n    tar.extractall(target, filter='data')\n",
      ),
      bad('t = tarfile.open(p)\nt.extractall()', "t = tarfile.open(p)\nt.extractall(filter='data')"),
    ],
    good: [
      "with tarfile.open(p) as tar:\n    tar.extractall(target, filter='data')\n",
      'with zipfile.ZipFile(p) as z:\n    z.extractall(target)\n',
      'tar.extractall()',
    ],
  },
})

import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { pythonInjectionRules } from './injection.ts'

testRules(pythonInjectionRules, {
  'py/dynamic-code': {
    bad: [bad('x = eval(text)'), bad('exec(f"a = {b}")')],
    good: ["x = eval('1 + 1')", 'model.eval(x)', 'x = ast.literal_eval(text)', 'evaluate(x)'],
  },
  'py/unsafe-yaml': {
    bad: [
      bad('import yaml\nx = yaml.load(stream)', 'import yaml\nx = yaml.safe_load(stream)'),
      bad(
        'import yaml\nx = yaml.load(open(p), Loader=yaml.Loader)',
        'import yaml\nx = yaml.safe_load(open(p))',
      ),
      bad('import yaml\nx = yaml.load(s, yaml.UnsafeLoader)', 'import yaml\nx = yaml.safe_load(s)'),
    ],
    good: [
      'import yaml\nx = yaml.safe_load(stream)',
      'import yaml\nx = yaml.load(stream, Loader=yaml.SafeLoader)',
      'from ruamel.yaml import YAML\nyaml = YAML()\nx = yaml.load(stream)',
    ],
  },
  'py/unsafe-pickle': {
    bad: [bad('x = pickle.loads(request.data)'), bad('x = pickle.loads(base64.b64decode(value))')],
    good: [
      'with open(p, "rb") as f:\n    x = pickle.load(f)',
      'x = json.loads(request.data)',
      'pickle.dumps(request.data)',
    ],
  },
  'py/shell-injection': {
    bad: [
      bad('os.system(f"ls {folder}")'),
      bad('subprocess.run("ls " + folder, shell=True)'),
      bad('subprocess.check_output("ls %s" % folder, shell=True)'),
      bad('subprocess.Popen("ls {}".format(folder), shell=True)'),
    ],
    good: [
      'os.system("clear")',
      'subprocess.run(["ls", folder])',
      'subprocess.run(f"ls {shlex.quote(folder)}", shell=True)',
      'subprocess.run(f"{folder}/run")',
      'subprocess.run(f"ls {BASE_DIR}", shell=True)',
    ],
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

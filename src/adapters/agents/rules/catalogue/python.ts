import { optional, safe, shelve, type LinterRule, type Shelf } from './linter-rule.ts'
import {
  dropName,
  isCompared,
  isDefinedAlike,
  isDoubled,
  isFirstEscape,
  isMissing,
  isModule,
  isOnlyAnnotated,
  isStandardLog,
  isShared,
  isTranslated,
  isUnpackedTwice,
  isUnusedImport,
  isUsedAtOnce,
  isOfClass,
  loadsAnything,
  returnsSomething,
  runsForEverybody,
  waitsForEver,
} from './python-places.ts'
import {
  catchesForGood,
  catchException,
  changesDefault,
  takesRequest,
  losesCause,
  makesSecret,
  nameCause,
  useSystemRandom,
} from './python-text.ts'

const ruff = {
  linter: 'ruff',
  languages: ['Python'],
  page: (name) => `https://docs.astral.sh/ruff/rules/#${name}`,
} as const satisfies Partial<Shelf>

/** Code that cannot do what it says. */
const wrong = shelve(
  { ...ruff, severity: 'major', category: 'correctness' },
  {
    F501: ['The format throws.', 'write a valid format'],
    F502: ['The format throws.', 'give it a mapping'],
    F503: ['The format throws.', 'give it a sequence'],
    F504: ['The argument goes nowhere.', 'name it in the format, or drop it'],
    F505: ['The format throws.', 'give it the missing argument'],
    F506: ['The format throws.', 'use names or places, not both'],
    F507: ['The format throws.', 'give as many values as there are places'],
    F508: ['The format throws.', 'give it a tuple'],
    F509: ['The format throws.', 'use a conversion that there is'],
    F521: ['The format throws.', 'write a valid format'],
    F522: ['The argument goes nowhere.', 'name it in the format, or drop it'],
    F523: ['The argument goes nowhere.', 'name it in the format, or drop it'],
    F524: ['The format throws.', 'give it the missing argument'],
    F525: ['The format throws.', 'number all places, or none'],
    F601: ['The first value is silently lost.', 'keep one of the two keys'],
    F602: ['The first value is silently lost.', 'keep one of the two keys'],
    F621: ['The assignment throws.', 'unpack fewer values'],
    F622: ['The assignment is no Python.', 'star one name only'],
    F631: ['A tuple is always true, so nothing is asserted.', 'drop the parentheses'],
    F632: ['is compares identity; equal texts and numbers may be other objects.', 'compare with ==', safe],
    F633: ['The shift writes nothing.', 'pass file= to print'],
    F634: ['A tuple is always true.', 'drop the parentheses'],
    F701: ['break outside of a loop is no Python.', 'remove it'],
    F702: ['continue outside of a loop is no Python.', 'remove it'],
    F704: ['yield outside of a function is no Python.', 'move it into the function'],
    F706: ['return outside of a function is no Python.', 'move it into the function'],
    F707: ['Handlers after a bare except are never asked.', 'put the bare except last'],
    F811: ['The first definition is lost.', 'keep one, or rename the other', { accepts: isDefinedAlike }],
    F821: [
      'The name is not there; the line throws.',
      'import or define it',
      // A name that is missing again and again comes from the program that loads the files.
      { accepts: isMissing, mostPlaces: 2 },
    ],
    F822: [
      'Importing everything throws.',
      'export what there is',
      // A package may name its modules, and a module may make what it is asked for.
      {
        accepts: ({ path, text }) => !/(?:^|\/)__init__\.py$/.test(path) && !/^def __getattr__\(/m.test(text),
      },
    ],
    F823: ['The variable is read before it is set in this function.', 'set it first, or say global'],
    F901: ['NotImplemented is a value; the raise throws another error.', 'raise NotImplementedError'],
    B002: ['Python has no ++; the sign is applied twice.', 'write += 1', { accepts: isDoubled }],
    B003: ['Assigning os.environ does not change the environment.', 'use os.environ.clear() and update()'],
    B005: [
      'strip takes characters, not a prefix.',
      'use removeprefix or removesuffix',
      // Signs are taken one by one; a word is meant as a whole.
      {
        accepts: ({ text, start, end }) =>
          /(['"])(?!(.)\2*\1)[^'" ]*[A-Za-z]{2}[^'" ]*\1\s*\)$/.test(text.slice(start, end)),
      },
    ],
    B012: ['It swallows the error that was under way.', 'leave finally without return, break or continue'],
    B015: ['The comparison goes nowhere.', 'assert it, or remove it'],
    B016: ['Raising a value that is no exception throws TypeError.', 'raise an exception'],
    B021: ['An f-string is no docstring.', 'drop the f'],
    B022: [
      'suppress() without exceptions suppresses none.',
      'name the exceptions',
      // Elsewhere it stands for a context that does nothing.
      { accepts: ({ text, start }) => /\bwith\s+$/.test(text.slice(0, start)) },
    ],
    B025: ['The second handler is never asked.', 'keep one of the two'],
    B029: ['An empty tuple catches nothing.', 'name the exceptions'],
    B030: ['Only exception classes can be caught; the handler throws.', 'name exception classes'],
    B031: ['A group is gone once it was read.', 'make a list of the group first'],
    B032: ['An annotation was written where an assignment was meant.', 'write ='],
    B035: ['A constant key keeps the last item only.', 'make the key from the item'],
    B039: [
      'Everybody shares the one mutable default.',
      'use None, and make it on use',
      // An object of another kind may be there to be shared.
      {
        accepts: ({ text, start, end }) =>
          /^(?:\[|\{|(?:list|dict|set|defaultdict|deque)\()/.test(text.slice(start, end)),
      },
    ],
    PLE0100: ['__init__ must return nothing.', 'remove the yield'],
    PLE0101: [
      '__init__ must return nothing; the call throws.',
      'drop the value',
      // What another __init__ returns is nothing.
      {
        accepts: returnsSomething,
      },
    ],
    PLE0116: ['continue in finally swallows the error.', 'move it out'],
    PLE0117: ['nonlocal without such a name is no Python.', 'define the name outside'],
    PLE0118: ['The name is used before it is said to be global.', 'move global to the top'],
    PLE0302: [
      'Python calls the method with other arguments.',
      'give it the parameters it is called with',
      { accepts: isOfClass },
    ],
    PLE0305: ['The method must return an integer.', 'return an integer'],
    PLE0604: [
      '__all__ holds names only.',
      'write the names as text',
      // The name of an object is a text, and what another module exports is a list of them.
      { accepts: ({ text }) => !/^__all__\s*\+?=\s*[([][^)\]]*(?:\.__name__\b|\*[\w.(])/m.test(text) },
    ],
    PLE0605: [
      '__all__ is a list or a tuple.',
      'write a list',
      // What is put together from other lists is one.
      { accepts: ({ text }) => /^__all__\s*=\s*\(?\s*(['"])[^'"\n]*\1\s*\)?\s*(?:#.*)?$/m.test(text) },
    ],
    PLE1142: ['await outside of an async function is no Python.', 'make the function async'],
    PLE1205: [
      'The log call has more arguments than places.',
      'drop them, or add places',
      { accepts: isStandardLog },
    ],
    PLE1206: ['The log call has fewer arguments than places.', 'add the arguments'],
    PLE1307: ['The format throws for this type.', 'use the conversion of its type'],
    PLE1310: ['strip takes characters, each once.', 'use removeprefix or removesuffix'],
    PLE1507: ['os.getenv throws for what is no text.', 'write the name as text'],
    PLE1700: ['yield from is not allowed in an async function.', 'use async for'],
    PLW0128: [
      'One of the two values is lost.',
      'name each target once',
      // Some names say that nobody wants the value, and two pairs may bring the same one.
      {
        accepts: (place) =>
          !/`(?:_\w*|[a-z]|foo|bar|dum\w*|ignored?|unused)`/.test(place.message) && !isUnpackedTwice(place),
      },
    ],
    PLW0129: ['The assertion can never fail, or never pass.', 'assert what was meant'],
    PLW0131: ['The names are bound to one value too many.', 'write the expression without a name'],
    PLW0133: ['The exception is made and dropped.', 'raise it'],
    PLW0177: ['NaN equals nothing, itself included.', 'use math.isnan', { accepts: isCompared }],
    PLW0245: ['super without parentheses is the class itself.', 'write super()'],
    PLW0711: ['or between exception classes catches the first alone.', 'write a tuple'],
    PLW1501: ['open throws for this mode.', 'use a mode that there is'],
    PLW1507: ['A shallow copy of os.environ still changes the environment.', 'use os.environ.copy()'],
    PLW2101: ['A lock that is made here protects nothing.', 'share one lock'],
    RUF006: ['A task that nobody holds may vanish in the middle.', 'keep the task'],
    RUF016: ['The index throws.', 'use an integer or a slice'],
    RUF018: ['An assignment in assert is gone with -O.', 'assign before the assert'],
    RUF024: [
      'Every key shares the one value.',
      'make the value for each key',
      // What is filled already is hardly ever added to, and some values only keep the place of others.
      {
        accepts: (place) => isShared(place),
      },
    ],
    RUF026: ['defaultdict takes its factory by place.', 'pass it first'],
    RUF032: [
      'A float is rounded before it becomes a Decimal.',
      'write the number as text',
      // A whole number is exact.
      { accepts: ({ text, start, end }) => !/^\D*\d+\.0*\D*$/.test(text.slice(start, end)) },
    ],
    RUF033: ['__post_init__ ignores its defaults.', 'give the default to the field'],
    RUF034: ['Both branches are the same.', 'write the other branch, or drop the condition'],
    ASYNC210: ['The call holds up every other task.', 'use an asynchronous client'],
    ASYNC222: ['The wait holds up every other task.', 'await the process'],
    ASYNC251: ['time.sleep holds up every other task.', 'await asyncio.sleep'],
    DTZ003: [
      'utcnow gives a time without a zone, which reads as local time.',
      'use datetime.now(timezone.utc)',
      { accepts: isUsedAtOnce },
    ],
    DTZ004: [
      'utcfromtimestamp gives a time without a zone.',
      'pass tz=timezone.utc to fromtimestamp',
      { accepts: isUsedAtOnce },
    ],
    PIE794: [
      'The first field is lost.',
      'keep one of the two',
      // A type alone sets nothing, so nothing is lost; a property takes the place of what only names it.
      {
        accepts: (place) =>
          !isOnlyAnnotated(place) && !/^\w+\s*=\s*property\(/.test(place.text.slice(place.start)),
      },
    ],
    INT001: [
      'The text is made before it is translated, so no translation fits.',
      'translate first, then format',
      { accepts: isTranslated },
    ],
    INT002: [
      'The text is made before it is translated, so no translation fits.',
      'translate first, then format',
      { accepts: isTranslated },
    ],
    INT003: [
      'The text is made before it is translated, so no translation fits.',
      'translate first, then format',
      { accepts: isTranslated },
    ],
  },
)

/** Ways in for an attacker. */
const open = shelve(
  { ...ruff, severity: 'major', category: 'security' },
  {
    S113: [
      'A server that does not answer holds this program for ever.',
      'pass timeout=',
      { accepts: waitsForEver },
    ],
    S201: [
      'The debugger lets anybody run code.',
      'switch debug off outside of development',
      { accepts: runsForEverybody },
    ],
    S306: ['Another program can take the name first.', 'use mkstemp'],
    S323: [
      'Certificates are not checked.',
      'use ssl.create_default_context()',
      // Who asks for it gets it.
      { accepts: ({ text, start }) => !/\belse\s+$/.test(text.slice(0, start)) },
    ],
    S501: [
      'Certificates are not checked, so anybody between can read and answer.',
      'drop verify=False',
      optional,
    ],
    S502: ['This version of the protocol is broken.', 'use ssl.create_default_context()'],
    S504: ['The version of the protocol is not chosen.', 'use ssl.create_default_context()'],
    S505: ['The key is short enough to be found.', 'use 2048 bits and more'],
    S506: ['The file can make any object, and run code.', 'use yaml.safe_load', { accepts: loadsAnything }],
    S507: [
      'Any server is taken for the right one.',
      'check host keys',
      // Who asks for it gets it.
      { accepts: ({ text, start }) => !/\belse\b:?\s+(?:[\w.]+\()?$/.test(text.slice(0, start)) },
    ],
    S508: ['SNMP before version 3 sends passwords as they are.', 'use version 3'],
    S509: ['SNMP without encryption can be read.', 'use authentication and privacy'],
    S612: ['Whoever reaches the port runs code.', 'verify what is received'],
  },
)

/** Small things that are plainly superfluous or lost. */
const small = shelve(
  { ...ruff, severity: 'minor', category: 'maintainability' },
  {
    F401: [
      'Nothing uses the import.',
      'remove the import',
      {
        isFixSafe: true,
        done: 'remove the unused import {name}',
        accepts: isUnusedImport,
        fixAt: dropName,
      },
    ],
    F541: [
      'There is nothing to fill in; a name in braces may be missing.',
      'drop the f, or fill in what was meant',
      { ...safe, ...optional },
    ],
    E713: ['not x in y reads as (not x) in y.', 'write x not in y', { ...safe, ...optional }],
    E714: ['not x is y reads as (not x) is y.', 'write x is not y', { ...safe, ...optional }],
    W605: [
      'The backslash is no escape, and will be an error.',
      'write a raw string',
      { ...safe, accepts: isFirstEscape },
    ],
    B014: ['One of the exceptions is the other.', 'name it once', safe],
    B033: [
      'A set holds a value once.',
      'write it once',
      // Who lists 1, 1.0 and True shows all that is taken.
      { ...safe, accepts: ({ message }) => !message.includes('has the same value') },
    ],
    LOG001: ['A logger made by hand is no part of the tree of loggers.', 'use logging.getLogger', safe],
    LOG002: ['The logger is not found under the module.', 'use __name__', { accepts: isModule }],
  },
)

/** Found by Ruff, narrowed and mended by us. */
const narrowed = shelve(
  { ...ruff, severity: 'minor', category: 'maintainability' },
  {
    B904: [
      'The traceback reads as if a second, unrelated error had happened during handling.',
      'name the caught exception with from',
      {
        id: 'py/raise-without-from',
        title: 'An exception is raised in `except` without naming its cause',
        accepts: losesCause,
        fixAt: nameCause,
      },
    ],
    E722: [
      'It also catches Ctrl-C, SystemExit and the end of a task, and hides what nobody expected.',
      'catch Exception',
      {
        id: 'py/bare-except',
        severity: 'major',
        category: 'correctness',
        accepts: catchesForGood,
        fixAt: catchException,
      },
    ],
    B006: [
      'What one call adds to the default is still there in the next one.',
      'use None as default and make the value inside of the function',
      {
        id: 'py/mutable-default',
        done: 'make the default inside of the function',
        severity: 'major',
        category: 'correctness',
        isFixSafe: true,
        accepts: changesDefault,
      },
    ],
    S311: [
      'From enough values the next ones can be computed, and with them the secrets of other users.',
      'use the secrets module',
      {
        id: 'py/insecure-random',
        done: 'use the random numbers of the system',
        severity: 'major',
        category: 'security',
        accepts: makesSecret,
        fixAt: useSystemRandom,
      },
    ],
    S608: [
      'A value with a quote in it changes the statement: it can read, change or delete any data.',
      'use placeholders and pass the values as the second argument',
      { id: 'py/sql-injection', severity: 'critical', category: 'security', accepts: takesRequest },
    ],
    S602: [
      'A value with ; or $( in it runs any other program.',
      'pass a list of arguments without shell=True',
      { id: 'py/shell-injection', severity: 'critical', category: 'security', accepts: takesRequest },
    ],
    S605: [
      'A value with ; or $( in it runs any other program.',
      'use subprocess.run with a list of arguments',
      { id: 'py/system-injection', severity: 'critical', category: 'security', accepts: takesRequest },
    ],
    S307: [
      'Whoever sends the request runs any code.',
      'use ast.literal_eval, or choose among functions by name',
      { id: 'py/code-injection', severity: 'critical', category: 'security', accepts: takesRequest },
    ],
  },
)

/** The rules that Ruff runs on Python. */
export const pythonRules: readonly LinterRule[] = [...wrong, ...open, ...small, ...narrowed]

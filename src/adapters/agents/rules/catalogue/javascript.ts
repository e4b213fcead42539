import { javascriptFamily } from '../engine/language.ts'
import {
  breaksOrder,
  callsItself,
  doesMore,
  assignsNothing,
  isFirstUnreached,
  isLeftOver,
  isNotSilencedAtTry,
  isMistaken,
  isUnasked,
  isWholeNumber,
  mayHang,
  saysTheSame,
} from './harmless-places.ts'
import {
  comparesInOrder,
  dropAwait,
  isBound,
  isItemOfList,
  isNotCommentedOut,
  isOfElement,
  isPlainAnnotation,
  isPlainlyUnused,
  losesStack,
} from './javascript-places.ts'
import {
  inReact,
  isInReact,
  isOfReact,
  optional,
  safe,
  shelve,
  type LinterRule,
  type Shelf,
} from './linter-rule.ts'

const oxlint = {
  linter: 'oxlint',
  languages: javascriptFamily,
  page: (name) => `https://oxc.rs/docs/guide/usage/linter/rules/${name}.html`,
} as const satisfies Partial<Shelf>

/** Code that cannot do what it says. */
const wrong = shelve(
  { ...oxlint, severity: 'major', category: 'correctness' },
  {
    'eslint/use-isnan': [
      'NaN equals nothing, itself included.',
      'use Number.isNaN',
      // Without Number it takes a text for a number first.
      { isFixSafe: true, reword: (fixed) => fixed.replaceAll(/(?<![\w.])isNaN\(/g, 'Number.isNaN(') },
    ],
    'eslint/for-direction': [
      'The loop runs for ever, or not at all.',
      'turn the update or the test of the loop',
    ],
    'eslint/getter-return': [
      'Whoever reads the property gets undefined.',
      'return a value from the getter',
      // A function that returns nothing on some paths means undefined there.
      { accepts: ({ message }) => !message.includes('always') },
    ],
    'eslint/constructor-super': [
      'The class cannot be made.',
      'call super() where there is a parent, and only there',
      // Of calls, oxlint sees those that are statements.
      {
        accepts: ({ text, message, start, end }) =>
          !message.startsWith('Expected to call') || !/\bsuper\s*\(/.test(text.slice(start, end)),
      },
    ],
    'eslint/no-this-before-super': ['The constructor throws.', 'call super() first'],
    'eslint/no-async-promise-executor': [
      'An error inside never rejects the promise, so whoever waits for it hangs.',
      'make the function around it async and drop the Promise constructor',
      { accepts: mayHang },
    ],
    'eslint/no-compare-neg-zero': ['The comparison is true for 0 as well.', 'use Object.is(x, -0)'],
    'eslint/no-const-assign': ['The assignment throws.', 'declare it with let, or assign to something else'],
    'eslint/no-constant-binary-expression': [
      'The outcome is the same whatever comes in, so one side never counts.',
      'write the comparison that was meant',
      // Somebody who writes true or false has switched something on or off; a build fills in what stands between
      // underscores.
      {
        accepts: (place) =>
          isMistaken(place) &&
          !/\b(?:true|false|__[A-Z_]+__)\b/.test(place.text.slice(place.start - 12, place.end + 12)),
      },
    ],
    'eslint/no-class-assign': ['The class is lost.', 'give the other value a name of its own'],
    'eslint/no-func-assign': ['The function is lost.', 'give the other value a name of its own'],
    'eslint/no-import-assign': [
      'The assignment throws.',
      'assign to a variable of this module',
      // A compiled module is an object like any other.
      { accepts: ({ text, start, end }) => !/[.[]/.test(text.slice(start, end + 1)) },
    ],
    'eslint/no-ex-assign': ['The caught error is lost.', 'give the other value its own name', optional],
    'eslint/no-delete-var': ['Variables cannot be deleted.', 'set it to undefined'],
    'eslint/no-dupe-class-members': [
      'The first of the two is never called.',
      'keep one, or rename the other',
    ],
    'eslint/no-dupe-else-if': ['The branch is never taken.', 'test for what was meant, or remove the branch'],
    'eslint/no-dupe-keys': ['The first value is silently lost.', 'keep one of the two keys'],
    'eslint/no-duplicate-case': [
      'The second case is never reached.',
      'test for what was meant, or remove the case',
    ],
    'eslint/no-empty-character-class': [
      'The expression never matches.',
      'fill the class, or escape the brackets',
    ],
    'eslint/no-empty-pattern': [
      'Nothing is taken apart; a default was probably meant.',
      'name what is needed, or write = {}',
      { accepts: isBound },
    ],
    'eslint/no-invalid-regexp': ['The constructor throws.', 'write a valid expression'],
    'eslint/no-loss-of-precision': [
      'The number is another one at run time.',
      'write it as a BigInt or as text',
      { accepts: isWholeNumber },
    ],
    'eslint/no-new-native-nonconstructor': ['The call throws.', 'call it without new'],
    'eslint/no-obj-calls': ['The call throws.', 'use one of its methods'],
    'eslint/no-self-assign': [
      'Nothing happens; another side was meant.',
      'assign the value that was meant',
      { accepts: assignsNothing },
    ],
    'eslint/no-setter-return': [
      'The returned value goes nowhere.',
      'drop the value',
      // A call is made for what it does.
      { ...optional, accepts: ({ text, start, end }) => !/^return\s+[\w.$]+\(/.test(text.slice(start, end)) },
    ],
    'eslint/no-sparse-arrays': [
      'The array has a hole that methods skip.',
      'remove the comma, or write undefined',
      // What takes the place of a match has no first value.
      { accepts: ({ text, start }) => !/\|\|\s*\[?\s*$/.test(text.slice(0, start)) },
    ],
    'eslint/no-unassigned-vars': [
      'The variable is read, and is always undefined.',
      'assign it, or remove it',
      { accepts: isNotCommentedOut },
    ],
    'eslint/no-unreachable': [
      'The code is never run.',
      'remove it, or move the statement before it',
      { accepts: isFirstUnreached },
    ],
    'eslint/no-unsafe-finally': [
      'It replaces the error or the value that was under way.',
      'leave finally without return or throw',
      optional,
    ],
    'eslint/no-unsafe-negation': [
      'The negation binds to the left side alone.',
      'put parentheses round the comparison',
    ],
    'eslint/no-unsafe-optional-chaining': [
      'It throws when the chain ends early.',
      'give a default, or test first',
      { accepts: isUnasked },
    ],
    'eslint/no-unexpected-multiline': [
      'The next line is taken as part of this one.',
      'end the line with a semicolon',
      optional,
    ],
    'eslint/no-useless-backreference': [
      'The group it refers to cannot have matched.',
      'move or remove the reference',
    ],
    'eslint/require-yield': ['The generator gives nothing.', 'yield, or make it a function'],
    'eslint/valid-typeof': ['The comparison is never true.', 'spell the type as typeof does'],
    'oxc/bad-array-method-on-arguments': ['arguments is no array; the call throws.', 'use rest parameters'],
    'oxc/bad-char-at-comparison': ['charAt gives one character, never more.', 'use startsWith or slice'],
    'oxc/bad-comparison-sequence': [
      'a < b < c compares a boolean with c.',
      'write a < b && b < c',
      // `a === b !== !!c` compares a boolean with a boolean, and means it.
      { accepts: comparesInOrder },
    ],
    'oxc/bad-match-all-arg': ['matchAll throws without the g flag.', 'add the g flag'],
    'oxc/bad-min-max-func': [
      'The bounds are the wrong way round, so the outcome is constant.',
      'swap Math.min and Math.max',
    ],
    'oxc/bad-replace-all-arg': ['replaceAll throws without the g flag.', 'add the g flag'],
    'oxc/const-comparisons': [
      'The two comparisons decide each other.',
      'write the bounds that were meant',
      // Two plain numbers are what eslint/no-constant-binary-expression tells of.
      { accepts: ({ text, start, end }) => !/^[\d\s.<>=!]+$/.test(text.slice(start, end)) },
    ],
    'oxc/erasing-op': [
      'The outcome is always 0.',
      'write the operation that was meant',
      // Two numbers may show a unit, such as zero seconds; who writes it again and again switched something off.
      { mostPlaces: 2, accepts: ({ text, start, end }) => !/^[\d\s*_.]+$/.test(text.slice(start, end)) },
    ],
    'oxc/missing-throw': ['The error is made and dropped; the code goes on.', 'throw it'],
    'oxc/misrefactored-assign-op': ['The variable is counted twice.', 'write a += b'],
    'oxc/number-arg-out-of-range': ['The call throws.', 'keep the argument within its range'],
    'oxc/uninvoked-array-callback': [
      'An array of holes never calls the callback.',
      'use Array.from({ length }, callback)',
    ],
    'unicorn/no-accessor-recursion': ['It calls itself for ever.', 'rename it', { accepts: callsItself }],
    'unicorn/no-await-in-promise-methods': [
      'The promises run one after the other.',
      'drop the await inside',
      { done: 'let the promises run side by side', fixAt: dropAwait },
    ],
    'unicorn/no-invalid-fetch-options': [
      'fetch throws for a body with GET or HEAD.',
      'drop the body, or use POST',
      // A request that was made elsewhere knows its method.
      {
        accepts: ({ text, start }) =>
          !/\bfetch\(\s*(?:\w*[rR]eq(?:uest)?)\s*,[^)]*$/.test(text.slice(0, start)),
      },
    ],
    'unicorn/no-invalid-remove-event-listener': [
      'A new function removes no listener.',
      'keep the function and pass the same one',
    ],
    'promise/no-new-statics': [
      'Promise.resolve is no constructor; the call throws.',
      'call it without new',
      safe,
    ],
    'promise/no-multiple-resolved': [
      'Only the first settlement counts.',
      'return after resolve or reject',
      // Only one side of a condition runs, and a catch runs where the code that settles the promise threw.
      {
        ...optional,
        accepts: (place) =>
          !/(?:[?:]|\bcatch\b[^{}]*\{)\s*$/.test(place.text.slice(0, place.start)) && doesMore(place),
      },
    ],
    'node/no-exports-assign': ['Nobody sees what is assigned to exports.', 'assign to module.exports', safe],
    'node/no-new-require': ['The module is taken for a constructor.', 'write new (require(…))()'],
  },
)

/** Traps of types and of markup. */
const typed = shelve(
  { ...oxlint, severity: 'major', category: 'correctness' },
  {
    'typescript/no-duplicate-enum-values': ['Two members cannot be told apart.', 'change one', optional],
    'typescript/no-extra-non-null-assertion': [
      'The second mark does nothing.',
      'write one mark',
      { ...safe, done: 'drop a doubled non-null mark' },
    ],
    'typescript/no-wrapper-object-types': [
      'String is the object, string the value.',
      'write the type in lower case',
      { isFixSafe: true, done: 'use the primitive type', accepts: isPlainAnnotation },
    ],
    'react/jsx-key': [
      'React mixes up items of a list without keys.',
      'give each item a stable key',
      { accepts: (place) => isInReact(place) && isItemOfList(place) },
    ],
    'react/jsx-no-duplicate-props': ['The first value is silently lost.', 'keep one of the two', inReact],
    'react/no-children-prop': [
      'Children given twice hide each other.',
      'write the children between the tags',
      { ...inReact, ...optional },
    ],
    'react/no-danger-with-children': ['React throws when both are there.', 'keep one of the two', inReact],
    'react/no-direct-mutation-state': ['The component is not drawn again.', 'use setState', inReact],
    'react/no-is-mounted': [
      'isMounted is gone from classes.',
      'cancel the work when the component leaves',
      inReact,
    ],
    'react/style-prop-object': [
      'React throws for a text.',
      'give style an object',
      { accepts: (place) => isOfReact(place) && isOfElement(place) },
    ],
    'react/void-dom-elements-no-children': [
      'The element takes no children; React throws.',
      'remove the children',
      inReact,
    ],
    'react-hooks/rules-of-hooks': [
      'Hooks lose their order when they are not always called.',
      'call it at the top of the component',
      { accepts: (place) => isInReact(place) && breaksOrder(place) },
    ],
  },
)

/** Ways in for an attacker. */
const open = shelve(
  { ...oxlint, severity: 'major', category: 'security' },
  {
    'react/jsx-no-script-url': [
      'A javascript: address runs code.',
      'use an event handler',
      { accepts: isOfReact },
    ],
  },
)

/** Small things that are plainly superfluous or lost. */
const small = shelve(
  { ...oxlint, severity: 'minor', category: 'maintainability' },
  {
    'eslint/no-debugger': [
      'It stops every visitor with open tools.',
      'remove the debugger statement',
      { accepts: isLeftOver },
    ],
    'eslint/no-unused-labels': ['Nothing jumps to it.', 'remove the label', safe],
    'eslint/no-unused-vars': [
      'It is set and never read: left over, or the wrong name is read elsewhere.',
      'remove it, or use it',
      {
        options: {
          args: 'none',
          caughtErrors: 'none',
          ignoreRestSiblings: true,
          vars: 'local',
          varsIgnorePattern: '^_|^\\$$',
        },
        accepts: isPlainlyUnused,
      },
    ],
    'eslint/preserve-caught-error': [
      'The stack that shows what really went wrong is lost.',
      'give the caught error as cause',
      {
        isFixSafe: true,
        accepts: losesStack,
      },
    ],
    'eslint/no-useless-catch': [
      'Catching only to throw again does nothing.',
      'remove the try',
      { accepts: isNotSilencedAtTry },
    ],
    'eslint/no-extra-boolean-cast': [
      'A condition is a boolean already.',
      'drop the cast',
      { ...safe, ...optional },
    ],
    'eslint/no-shadow-restricted-names': [
      'undefined and its like get another meaning.',
      'use another name',
      optional,
    ],
    'eslint/no-irregular-whitespace': [
      'The blank is none that the eye can tell.',
      'write a plain blank',
      // A keyboard that writes them everywhere has never troubled anybody.
      { options: { skipComments: true }, mostPlaces: 5 },
    ],
    'eslint/no-nonoctal-decimal-escape': ['The escape means the digit itself.', 'write the digit'],
    'eslint/no-new-wrappers': [
      'An object is true even when its value is not.',
      'call it without new',
      optional,
    ],
    'eslint/default-case-last': [
      'A default in between falls through to the cases after it.',
      'move it to the end',
      optional,
    ],
    'eslint/no-extra-bind': ['The function does not use this.', 'drop the bind', { ...safe, ...optional }],
    'unicorn/no-unnecessary-await': ['The value is no promise.', 'drop the await', safe],
    'unicorn/no-single-promise-in-promise-methods': [
      'One promise needs no list.',
      'await the promise itself',
      optional,
    ],
    'oxc/approx-constant': ['The constant is cut off.', 'use the constant of Math', optional],
    'oxc/double-comparisons': [
      'Two comparisons say what one does.',
      'write the one comparison',
      { accepts: saysTheSame },
    ],
  },
)

/** The rules that oxlint runs on JavaScript and TypeScript. */
export const javascriptRules: readonly LinterRule[] = [...wrong, ...typed, ...open, ...small]

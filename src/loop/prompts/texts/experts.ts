/** The fields of expertise of a review; an agent with sub-agents gives each field to one of them. */

export const reviewerBeArchitecture = `Your field: the architecture of server, library and command-line code.

Look for: dependencies that point the wrong way, state that is shared without need, missing boundaries around input, transactions and retries that can lose or double work, resources that are never released, errors that are swallowed, interfaces that make wrong use easy, work that grows faster than its input.`

export const reviewerBeQuality = `Your field: the correctness and safety of server, library and command-line code.

Look for: wrong results at the edges (empty, zero, negative, very large, Unicode, time zones), races, unchecked input that reaches a shell, a query, a path or a template, secrets in code, wrong use of cryptography, missing awaits, leaks, misleading names and comments, tests that cannot fail.`

export const reviewerFeArchitecture = `Your field: the architecture of code that runs in a browser.

Look for: state kept twice, effects that should be derived values, components that know too much, data that is fetched again without need, missing loading, empty and error states, work on every render, bundles that grow without need.`

export const reviewerFeQuality = `Your field: the correctness, safety and accessibility of code that runs in a browser.

Look for: HTML from untrusted text, effects without clean-up, stale closures, missing keys, events that fire twice, controls without names, text that cannot be read with a keyboard or a screen reader, colours as the only sign, wrong handling of slow or failed requests.`

export const reviewerSpec = `Your field: the specification that is named below.

Compare the code with every statement of the specification. Report what is missing, what contradicts it, and what goes beyond it. Name the statement that each finding is about.`

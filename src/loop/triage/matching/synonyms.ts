import { stem } from './stem.ts'

/** Each line is one thing that reviewers have several words for; a word in several lines may mean each of them. */
const lines = `
race concurrent concurrency concurrently thread toctou atomic atomically synchronization synchronisation synchronized synchronised unsynchronized interleave simultaneous simultaneously goroutine
lock mutex semaphore synchronize synchronise synchronized synchronised
deadlock hang block stall stuck freeze wait forever
infinite endless unbounded forever unlimited uncapped
slow quadratic inefficient expensive performance costly allocation allocate
hoist anew recompile recreate creating precompute cache memoize
copy copies copied clone duplicate
injection inject concatenate interpolate parameterized parameterised placeholder bind unescaped unsanitized sanitize escape
attacker malicious untrusted adversary hostile exploit user
shell command exec subprocess spawn
traversal traverse outside escape zipslip slip
hardcoded committed embedded literal secret
password credential token secret
md5 sha1 unsalted weak broken bcrypt argon2 insecure
predictable random randomness guessable entropy
leak unclosed dangling unreleased leaves
close release dispose free cleanup delete remove unlink
swallow hide suppress ignore silent drop discard lost lose bare
stack trace stacktrace traceback panic recover cause
exception except error failure throw raise reject
crash panic abort npe nullpointerexception typeerror segfault
null nil none undefined missing absent empty unset optional
await async promise unawaited floating
overflow wrap wraparound truncate exceed large
zero falsy truthiness truthy unset
divide division nan
bound boundary range fencepost inclusive exclusive one
recursion recursive recurse nested nesting cyclic depth
duplicate twice double repeat again second two times
unused dead unreferenced unnecessary unneeded redundant superfluous useless needless avoidable
typo misspelled misspelt spelling
document documentation docs doc jsdoc docstring javadoc readme undocumented comment
test untested uncovered coverage assertion assert spec
flaky nondeterministic intermittent intermittently timing
redos backtrack catastrophic catastrophically exponential
timeout timed deadline hang
temporary temp tmp tempfile
folder directory directories
file filename path disk
permission chmod mode umask readable writable restrict
authorization authorisation authorized unauthorized permission privilege access
redirect crossdomain crossorigin
host domain origin
encoding utf utf8 charset cp1252 ascii unicode
chunk batch batches block
mutable mutate modify modifies mutation shared share
default fallback
global globally everywhere
expose internal private
inverted opposite reversed negated backwards contrary
stale outdated obsolete expired old
deprecated obsolete legacy removed
validate check verify verified verifies guard sanity unchecked unvalidated
pagination paginate page
quiet silent mute verbose
timezone utc zone local
style consistency consistent format
confusing misleading ambiguous unclear
long lengthy complex complexity big
split extract refactor
listener handler subscription callback
memory ram heap
certificate tls ssl
sql query queries select statement
regexp regex pattern regular
array list slice
argument parameter args param
quit exit terminate end
status code result return
env environment variable
network request http fetch
`

const meanings = new Map<string, number[]>()
for (const [meaning, words] of lines.trim().split('\n').entries())
  for (const stemmed of new Set(words.split(' ').map(stem)))
    meanings.set(stemmed, [...(meanings.get(stemmed) ?? []), meaning])

/** What a stemmed word may mean; two words with one meaning say the same thing. */
export const meaningsOf = (stemmed: string): readonly number[] => meanings.get(stemmed) ?? []

/**
 * What reviewers say of places in real code, each in words of their own. Comments of one place under the same letter are
 * about the same problem; another letter is another problem of that place. The labels were written before any matcher saw
 * the texts, and no weight is chosen on them.
 */
export interface SaidPlace {
  readonly file: string
  readonly line: number
  readonly said: readonly (readonly [problem: string, text: string])[]
}

const at = (file: string, line: number, ...said: SaidPlace['said']): SaidPlace => ({ file, line, said })

export const saidPlaces: readonly SaidPlace[] = [
  at(
    'lib/response.js',
    291,
    [
      'a',
      'The status code is not checked before it is written. A value such as 42 or "ok" reaches Node, which throws ERR_HTTP_INVALID_STATUS_CODE far from the caller.',
    ],
    [
      'a',
      'res.status() accepts any value. Please validate that the status code is an integer between 100 and 999, otherwise Node throws later.',
    ],
    ['b', 'Returning `this` is not documented for status(), yet chained calls in the examples rely on it.'],
    ['b', 'The JSDoc of status() lacks a @return although callers chain on the returned response.'],
  ),
  at(
    'lib/response.js',
    540,
    [
      'a',
      'sendFile passes the user supplied path on without a root, so `../` sequences can leave the public folder (path traversal).',
    ],
    [
      'a',
      'Path traversal: when no root option is given the requested file can escape the intended directory.',
    ],
    ['b', 'The callback may be invoked twice: once by the abort handler and once by the finish handler.'],
    [
      'b',
      'On aborted requests both onaborted and onfinish run, and the completion callback fires a second time.',
    ],
  ),
  at(
    'lib/application.js',
    178,
    [
      'a',
      'Wrong error message: it says app.use() requires a middleware function even if an empty array was passed.',
    ],
    [
      'a',
      'Passing an empty array ends in "requires a middleware function", which is misleading. The message should mention that the list was empty.',
    ],
    [
      'b',
      'flatten uses Infinity as its depth, so a self-referencing array recurses until the stack overflows.',
    ],
    ['b', 'Unbounded flattening of nested middleware arrays; a cyclic array will blow the stack.'],
  ),
  at(
    'lib/parse.js',
    74,
    [
      'a',
      'Prototype pollution: the key `__proto__` is only skipped if allowPrototypes is false, and plainObjects is not consulted here.',
    ],
    [
      'a',
      'A query such as ?__proto__[admin]=1 pollutes Object.prototype when allowPrototypes is enabled by accident.',
    ],
    [
      'a',
      'Assigning obj[key] for untrusted keys makes prototype pollution possible; filter __proto__, constructor and prototype.',
    ],
    ['b', 'arrayLimit is compared with the index, so a limit of 20 allows 21 elements. Off by one.'],
  ),
  at(
    'lib/parse.js',
    131,
    ['a', 'The regular expression compiles anew on every call; hoist it to module level.'],
    [
      'a',
      'Creating this RegExp inside parseKeys costs an allocation per key. Move the pattern out of the function.',
    ],
    ['b', 'depth=0 is treated as unset because of the truthiness check, so nesting cannot be switched off.'],
    ['b', '`options.depth || 5` ignores an explicit depth of zero.'],
  ),
  at(
    'lib/utils.js',
    187,
    [
      'a',
      'Surrogate pairs are split when the string is encoded in chunks: a pair on the chunk border yields malformed UTF-8.',
    ],
    ['a', 'Chunked encode() breaks emoji which straddle the 1024 character boundary.'],
    ['b', 'String concatenation in this hot loop is slow for long inputs, collect into an array and join.'],
    ['c', 'Missing test for RFC1738 spaces being written as plus.'],
  ),
  at(
    'boltons/cacheutils.py',
    212,
    ['a', '`__eq__` is defined without `__hash__`, so instances silently become unhashable.'],
    [
      'a',
      'Defining __eq__ makes the class unhashable in Python 3. Either set __hash__ or say so in the docs.',
    ],
    ['b', 'The lock is not held while the linked list is rewired, two threads can corrupt the LRU order.'],
    ['b', 'Race condition: _set_key_and_add_to_front_of_ll mutates the links outside of self._lock.'],
  ),
  at(
    'boltons/fileutils.py',
    88,
    [
      'a',
      'os.makedirs is called after an os.path.exists check. Another process can create the directory in between; use exist_ok=True.',
    ],
    ['a', 'TOCTOU race between exists() and makedirs().'],
    ['b', 'The umask is read by setting it to zero first, which is not thread safe.'],
    [
      'b',
      'Calling os.umask(0) to learn the current mask leaves a window in which other threads create world-writable files.',
    ],
  ),
  at(
    'boltons/iterutils.py',
    410,
    ['a', 'A generator passed as `src` is exhausted by the len() fallback, so the result is empty.'],
    ['a', 'If src is an iterator the first pass consumes it and chunked() then yields nothing.'],
    ['b', 'size=0 loops forever; raise ValueError for non-positive sizes.'],
    ['b', 'No guard against a chunk size of zero: endless loop.'],
  ),
  at(
    'boltons/strutils.py',
    655,
    ['a', 'Bare except hides KeyboardInterrupt and SystemExit.'],
    ['a', '`except:` without an exception type also swallows Ctrl-C. Catch UnicodeDecodeError instead.'],
    ['b', 'The function is over 90 lines long and mixes decoding with formatting. Consider splitting it.'],
    ['c', 'Variable name `l` is ambiguous.'],
  ),
  at(
    'src/click/core.py',
    1034,
    ['a', 'Exit code is lost: sys.exit is called with the Abort instance rather than with 1.'],
    [
      'a',
      'When a prompt is aborted the process ends with status 0 since the return value of main() is ignored.',
    ],
    ['b', 'EPIPE handling replaces sys.stdout globally, which surprises embedding applications.'],
    ['b', 'Swapping sys.stdout for PacifyFlushWrapper on broken pipes is a process-wide side effect.'],
  ),
  at(
    'src/click/core.py',
    2306,
    ['a', 'Mutable default: `default=[]` is shared among all invocations of the command.'],
    ['a', 'The list used as default value is created once and will leak state from one call to the next.'],
    ['b', 'nargs=-1 together with a default is not rejected for arguments.'],
    ['b', 'An Argument that takes any number of values should not allow a default, but no error is raised.'],
  ),
  at(
    'src/click/types.py',
    488,
    ['a', 'File is opened eagerly in text mode with the locale encoding; pass encoding explicitly.'],
    ['a', 'No encoding argument, so on Windows files are read as cp1252.'],
    [
      'b',
      'The file handle leaks if the callback raises, because it is registered for closing only afterwards.',
    ],
    ['b', 'Resource leak: an exception between open() and ctx.call_on_close leaves the file open.'],
  ),
  at(
    'src/click/_termui_impl.py',
    371,
    ['a', 'shell=True with the PAGER variable allows command injection.'],
    [
      'a',
      'The content of $PAGER is run by a shell. An attacker who controls the environment can execute arbitrary commands.',
    ],
    ['b', 'The temporary file of the pager is never deleted when the pager is killed.'],
    ['b', 'tempfile cleanup is skipped on SIGKILL of the subprocess, leaving files in /tmp.'],
  ),
  at(
    'lib/arguments/options.js',
    33,
    ['a', '`timeout` may be NaN here: Number.isFinite is not used, and NaN passes the >= 0 test negated.'],
    ['a', 'Validation lets NaN through as a timeout value.'],
    ['b', 'forceKillAfterDelay should be documented as milliseconds.'],
    ['b', 'Unit is missing in the docs for forceKillAfterDelay.'],
  ),
  at(
    'lib/terminate/kill.js',
    61,
    ['a', 'The SIGKILL timer is not unreferenced, so it keeps the parent process alive for five seconds.'],
    ['a', 'Call unref() on the force-kill timeout; otherwise Node cannot exit before it fires.'],
    ['b', 'kill() on an already exited subprocess returns true, which is not what its documentation says.'],
    ['b', 'The return value of kill is wrong once the child has ended.'],
  ),
  at(
    'lib/stdio/handle.js',
    140,
    ['a', 'Duplicate stream in the array is not detected and data is written twice.'],
    [
      'a',
      'If the same writable is listed two times, each chunk ends up in it twice. Deduplicate the stdio items.',
    ],
    ['b', 'This reduce builds a new array per iteration (quadratic). A plain loop with push would do.'],
    ['b', 'Spreading the accumulator inside reduce is O(n²).'],
  ),
  at(
    'packages/cli/src/commands/version/index.ts',
    52,
    [
      'a',
      'Unhandled promise: writeFile is not awaited, the process may end before the changelog is on disk.',
    ],
    ['a', 'Missing await in front of fs.writeFile.'],
    ['b', 'Logging uses console.log rather than the logger package, so --quiet has no effect.'],
    ['b', 'Please use @changesets/logger here to respect quiet mode.'],
  ),
  at(
    'packages/git/src/index.ts',
    118,
    [
      'a',
      'Branch name is interpolated into the git arguments; a branch that starts with a dash is read as an option.',
    ],
    ['a', 'Option injection: put `--` before the ref, or refuse names with a leading hyphen.'],
    [
      'b',
      'The exit code of git merge-base is ignored. In a shallow clone it fails and an empty string is used as the divergence point.',
    ],
    ['b', 'In shallow clones getDivergedCommit gets no output from merge-base and goes on with "".'],
  ),
  at(
    'packages/release-utils/src/run.ts',
    201,
    ['a', 'GITHUB_TOKEN ends up in the error message of the failed request and hence in the build log.'],
    ['a', 'Secret leak: the token is part of the URL that gets logged on failure.'],
    ['b', 'Pagination is missing, repositories with more than 30 releases are only partly read.'],
    ['b', 'Only the first page of releases is requested.'],
  ),
  at(
    'command.go',
    923,
    [
      'a',
      'c.args is nil on the second Execute call, so os.Args is used although SetArgs was called with an empty slice.',
    ],
    [
      'a',
      'SetArgs([]string{}) cannot be told apart from not calling it, and the arguments of the process are parsed instead.',
    ],
    ['b', 'The deferred panic handler swallows the stack trace.'],
    ['b', 'recover() drops where the panic came from; re-panic or print debug.Stack().'],
  ),
  at(
    'command.go',
    1241,
    [
      'a',
      'sort.Sort runs at every call of Commands() without checking commandsAreSorted under a lock: data race when help is rendered concurrently.',
    ],
    ['a', 'Concurrent calls of Commands() race on the sorting flag.'],
    ['b', 'Commands() hands out the internal slice; callers can modify it. Return a copy.'],
    ['b', 'Exposing c.commands lets users mutate private state.'],
  ),
  at(
    'completions.go',
    455,
    ['a', 'Flag groups are ignored when completions are computed for a persistent flag of the parent.'],
    [
      'a',
      'Persistent flags inherited from the parent command do not take part in the mutually exclusive group completion.',
    ],
    ['b', 'Typo in the debug output: "completition".'],
    ['b', 's/completition/completion/'],
  ),
  at(
    'src/walk.rs',
    204,
    ['a', 'unwrap() on the channel send panics when the receiver has hung up, e.g. on `fd | head`.'],
    ['a', 'A closed receiver makes tx.send().unwrap() panic. Treat it as the signal to quit.'],
    ['b', 'max_results is checked after printing, so one result too many is shown.'],
    ['b', 'Off-by-one with --max-results: the limit is tested after the entry has been written.'],
  ),
  at(
    'src/exec/job.rs',
    41,
    ['a', 'The mutex guard is held while the child process runs, so that commands never run in parallel.'],
    ['a', 'Lock on stdout is acquired before spawning, serialising all jobs.'],
    ['b', 'Cloning the command template for each path is avoidable; borrow it.'],
    ['b', 'Unneeded clone() of cmd in the loop.'],
  ),
  at(
    'gson/src/main/java/com/google/gson/stream/JsonReader.java',
    1290,
    [
      'a',
      'Integer overflow: the accumulated value can exceed Long.MIN_VALUE for nineteen digit numbers and wraps silently.',
    ],
    ['a', 'peekNumber does not detect overflow of long for large literals.'],
    ['b', 'The nesting depth is not limited; deeply nested arrays cause a StackOverflowError in callers.'],
    ['b', 'Denial of service through deep nesting, add a maximum depth.'],
  ),
  at(
    'gson/src/main/java/com/google/gson/internal/bind/DateTypeAdapter.java',
    77,
    ['a', 'SimpleDateFormat is not thread safe, access to the list must be synchronized.'],
    [
      'a',
      'The date formats are shared among threads without synchronisation although DateFormat keeps mutable state.',
    ],
    ['b', 'The ParseException is dropped, so nobody learns which pattern was tried.'],
    ['b', 'Keep the original parse error as the cause of JsonSyntaxException.'],
  ),
  at(
    'packages/zod/src/v4/core/regexes.ts',
    24,
    [
      'a',
      'The e-mail pattern has nested quantifiers and backtracks catastrophically on long inputs (ReDoS).',
    ],
    ['a', 'ReDoS risk: exponential backtracking for addresses such as aaaa…@.'],
    ['b', 'Unicode domains are refused, which breaks internationalised addresses.'],
    ['b', 'IDN e-mail addresses do not match this expression.'],
  ),
  at(
    'packages/zod/src/v4/core/schemas.ts',
    812,
    [
      'a',
      'Set.has is called for each key although the shape is a plain object; `key in shape` matches inherited properties such as toString.',
    ],
    [
      'a',
      'Using the `in` operator accepts keys from the prototype chain, e.g. "constructor" counts as a known key.',
    ],
    ['b', 'catchall schemas run even for keys that are declared.'],
    ['c', 'Consider freezing the cached shape to prevent accidental modification.'],
  ),
  at(
    'httpie/sessions.py',
    164,
    ['a', 'Session files are created with the default mode and hold credentials. Use 0600.'],
    ['a', 'Cookies and passwords get stored in a file which other users may read; restrict its permissions.'],
    ['b', 'Host names that contain a colon produce invalid file names on Windows.'],
    ['b', 'On Windows a session for host:port cannot be saved because ":" is not allowed in paths.'],
  ),
  at(
    'httpie/downloads.py',
    231,
    ['a', 'Content-Disposition file name is used without stripping directories.'],
    [
      'a',
      'A malicious server can choose where the download is written: filename="../../.bashrc" is accepted.',
    ],
    ['b', 'Resuming relies on Content-Range but total size is not compared with the earlier one.'],
    ['b', 'When the remote file has changed size since the first part, the resumed download is corrupt.'],
  ),
  at(
    'request.js',
    512,
    ['a', 'strictSSL: false is applied to redirects to other hosts, too.'],
    ['a', 'After a redirect certificate checks stay off even though the host differs.'],
    ['b', 'Authorization header is sent along when the redirect leads to another domain.'],
    ['b', 'Credentials leak across hosts: the auth header must be removed on cross-domain redirects.'],
  ),
  at(
    'lib/cookies.js',
    15,
    ['a', 'Use const instead of var.'],
    ['a', 'Prefer `const` for variables that are never reassigned.'],
    ['b', 'Cookie.parse is called in loose mode, so a cookie without a name is accepted.'],
    ['b', 'Loose parsing accepts nameless cookies.'],
  ),
  at(
    'sherlock_project/sherlock.py',
    302,
    ['a', 'requests are made without a timeout in this branch and may hang forever.'],
    ['a', 'No timeout given: one dead site blocks the whole run.'],
    ['a', 'Add timeout= to the request, since by default it waits without end.'],
    ['b', 'HTTP errors other than 404 are counted as "found".'],
  ),
  at(
    'routes/login.ts',
    34,
    ['a', 'SQL injection: the e-mail from the body is concatenated into the query.'],
    ['a', 'User input is placed directly in the SELECT statement; use replacements or bind parameters.'],
    ['b', 'Password is hashed with MD5, which is broken.'],
    ['b', 'security.hash() is unsalted MD5. Use bcrypt or argon2 for passwords.'],
  ),
  at(
    'routes/fileUpload.ts',
    40,
    ['a', 'Zip slip: entry names are joined with the target folder without a check.'],
    ['a', 'Archive entries containing ../ get extracted outside of uploads/complaints.'],
    ['b', 'The uploaded temp file is never removed.'],
    ['b', 'tempFile stays on disk after processing, so the disk fills up over time.'],
  ),
  at(
    'lib/insecurity.ts',
    56,
    ['a', 'Private key is hard-coded in the source.'],
    [
      'a',
      'The RSA signing key is committed to the repository. Load it from the environment or a secret store.',
    ],
    ['b', 'expiresIn of six hours is too long for an access token.'],
    ['c', 'jwt.verify does not restrict the accepted algorithms.'],
  ),
  at(
    'lib/ejs.js',
    588,
    [
      'a',
      'outputFunctionName is put into the generated function without validation, which allows code injection through options.',
    ],
    ['a', 'Template options from req.query can carry outputFunctionName and execute code on the server.'],
    ['b', 'With `client: true` the escape function is inlined for each template and bloats the output.'],
    ['b', 'Every client-side template repeats the escaping code.'],
  ),
  at(
    'lib/queue.js',
    97,
    ['a', 'drain() is never called when the queue is empty from the beginning.'],
    ['a', 'An initially empty queue does not emit drain, so awaiting it waits for ever.'],
    ['b', 'unsaturated fires while workers are still at the limit.'],
    ['b', 'The condition for unsaturated should be strictly below concurrency.'],
  ),
  at(
    'starlette/staticfiles.py',
    171,
    ['a', 'Symlinks inside the directory are followed although follow_symlink is False.'],
    ['a', 'follow_symlink=False is not honoured for nested links since realpath is compared before joining.'],
    ['b', 'ETag is weak and only made of size and mtime; changes within a second are missed.'],
    ['b', 'Two writes within one second with the same size yield the same ETag.'],
  ),
  at(
    'src/controllers/controller.doughnut.js',
    233,
    ['a', 'Division by zero if all values are zero; the arcs become NaN.'],
    ['a', 'total can be 0, then calculateCircumference returns NaN and nothing is drawn.'],
    ['b', 'Negative values are dropped silently instead of using their absolute value.'],
    ['c', 'Rename _total to something public, plugins read it.'],
  ),
]

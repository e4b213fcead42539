import type { SaidPlace } from './said.ts'

/**
 * More comments of several reviewers on one place, as `said.ts` has them, mostly as long as what models write. They came
 * after the table of synonyms, and no threshold is chosen on them. The few that were merged wrongly at first showed that names
 * weighed too much, and that advice can be opposite.
 */
type Said = SaidPlace['said'][number]

const places: readonly (readonly [file: string, ...said: Said[]])[] = [
  [
    'api/orders.ts',
    [
      'a',
      'The total is computed with floating point arithmetic. Summing prices as numbers gives results such as 0.30000000000000004; keep the amounts as integer cents.',
    ],
    [
      'a',
      'Money is represented as a float here, so rounding errors accumulate over many order lines. Use cents or a decimal library.',
    ],
    ['a', 'Rounding error: prices should be added in cents, not as floating point numbers.'],
    [
      'b',
      'calculateTotal() does not check that the currency of all order lines is the same before it adds their prices.',
    ],
  ],
  [
    'api/users.ts',
    [
      'a',
      'The endpoint returns the complete user record, including passwordHash and resetToken. Select only the fields that the client needs.',
    ],
    ['a', 'passwordHash is serialized into the response. Strip sensitive fields before res.json(user).'],
    [
      'b',
      'findOne may return undefined when no user has this id, and the next line then throws a TypeError instead of answering 404.',
    ],
    [
      'b',
      'Missing 404: when the user does not exist, user is undefined and reading user.name crashes the handler.',
    ],
  ],
  [
    'web/src/useSearch.tsx',
    [
      'a',
      'The effect does not cancel the previous fetch, so a slow earlier response can overwrite the results of a later query.',
    ],
    [
      'a',
      'Out-of-order responses: typing quickly starts several requests and the last one to arrive wins. Abort the stale request in the cleanup function.',
    ],
    [
      'b',
      'query is missing from the dependency array of useEffect, so the hook keeps searching for the first value.',
    ],
    [
      'b',
      'The dependency list is empty although the effect reads `query`; results never update after the first render.',
    ],
  ],
  [
    'web/src/Table.tsx',
    [
      'a',
      'Using the array index as key breaks row state when the table is sorted or a row is removed. Use row.id.',
    ],
    ['a', 'key={index} is unstable; rows should be keyed by their id.'],
    [
      'b',
      'rows.sort() mutates the prop in place, which changes the data of the parent component during render.',
    ],
    ['b', 'Array.prototype.sort modifies `rows`, a prop. Copy it first: [...rows].sort(...).'],
  ],
  [
    'services/mailer.py',
    [
      'a',
      'smtplib connects without starttls(), so credentials and messages travel in clear text over the network.',
    ],
    ['a', 'The SMTP login is sent unencrypted. Call starttls() before login() or use SMTP_SSL.'],
    [
      'b',
      'server.quit() is not reached when sendmail raises; use a with statement so the connection is closed.',
    ],
    ['b', 'If sending fails, the SMTP connection stays open because quit() is not in a finally block.'],
  ],
  [
    'services/report.py',
    [
      'a',
      'datetime.now() returns a naive local time, while created_at in the database is stored in UTC. The comparison is off by the server offset.',
    ],
    [
      'a',
      'Naive and aware datetimes are mixed: use datetime.now(timezone.utc), since the column holds UTC timestamps.',
    ],
    ['b', 'The report query loads every row of the events table into memory; stream it or aggregate in SQL.'],
    [
      'c',
      'The CSV cells are written without neutralising a leading "=", which spreadsheet programs evaluate as a formula.',
    ],
  ],
  [
    'services/tasks.py',
    [
      'a',
      'The task is not idempotent: when Celery retries it after a timeout, the customer is charged a second time.',
    ],
    [
      'a',
      'A retry of charge_customer creates a duplicate charge. Pass an idempotency key to the payment provider.',
    ],
    [
      'b',
      'max_retries=None retries for ever when the card is declined; permanent failures should not be retried.',
    ],
    ['b', 'Declined cards raise CardError, which is retried without limit although it can never succeed.'],
  ],
  [
    'pkg/server/handler.go',
    [
      'a',
      'The response body is not closed when the status is not 200, which leaks the connection. Add defer resp.Body.Close() right after the error check.',
    ],
    ['a', 'resp.Body is only closed on the success path; early returns leak it.'],
    ['b', 'http.DefaultClient has no timeout, so a hanging upstream blocks this handler indefinitely.'],
    ['b', 'No timeout is set on the HTTP client used for the upstream call.'],
  ],
  [
    'pkg/cache/cache.go',
    [
      'a',
      'The map is read here without holding mu while Set writes to it from other goroutines: concurrent map read and map write will crash the process.',
    ],
    ['a', 'Data race: Get accesses c.items without taking the mutex. Use RLock.'],
    [
      'b',
      'Expired entries are only removed when they are read, so keys that nobody asks for again stay in memory.',
    ],
    ['b', 'There is no background eviction; items past their TTL accumulate until they are requested.'],
  ],
  [
    'pkg/worker/pool.go',
    [
      'a',
      'The loop variable job is captured by the goroutine closure, so with Go versions before 1.22 all goroutines see the last job.',
    ],
    ['a', 'Closure captures the loop variable `job`; pass it as an argument to the goroutine.'],
    ['b', 'wg.Add(1) is called inside the goroutine, so Wait may return before any worker has started.'],
    ['b', 'Move wg.Add out of the goroutine: otherwise wg.Wait() can race with it.'],
  ],
  [
    'src/parser.rs',
    [
      'a',
      'Slicing the string by byte offset panics when the offset falls inside a multi-byte character. Use char_indices or get().',
    ],
    [
      'a',
      '&input[..pos] can panic on non-ASCII input since pos is not guaranteed to lie on a char boundary.',
    ],
    ['b', 'The error returned here loses the line number, which makes messages for users useless.'],
    ['b', 'ParseError should carry the position; currently a user cannot find the faulty line.'],
  ],
  [
    'src/net.rs',
    [
      'a',
      'Blocking std::fs::read inside an async fn stalls the executor thread. Use tokio::fs or spawn_blocking.',
    ],
    ['a', 'This does synchronous file IO in async code, which blocks the tokio runtime.'],
    [
      'b',
      'The length prefix comes from the peer and is used for Vec::with_capacity without an upper limit, so a client can make the server allocate gigabytes.',
    ],
    ['b', 'Untrusted length: a malicious peer can request a huge allocation. Cap the frame size.'],
  ],
  [
    'app/models/invoice.rb',
    [
      'a',
      'This iterates over invoices and calls invoice.customer for each one, causing an N+1 query. Use includes(:customer).',
    ],
    ['a', 'N+1: customers are loaded one by one inside the loop; eager load them.'],
    ['b', 'update_all skips validations and callbacks, so the audit log does not record this change.'],
    ['b', 'Because of update_all no callbacks run, and audit entries are missing.'],
  ],
  [
    'db/migrate/add_index.sql',
    [
      'a',
      'CREATE INDEX without CONCURRENTLY locks the orders table against writes for as long as the index is built.',
    ],
    ['a', 'Building this index blocks writes on a large table in production; use CREATE INDEX CONCURRENTLY.'],
    [
      'b',
      'The index on (status, created_at) is redundant with idx_orders_status_created_at from an earlier migration.',
    ],
    ['c', 'There is no down migration, so a rollback leaves the index behind.'],
  ],
  [
    'infra/main.tf',
    ['a', 'The security group allows ingress from 0.0.0.0/0 on port 22. Restrict SSH to known addresses.'],
    ['a', 'SSH is open to the whole internet.'],
    ['b', 'The bucket has no server_side_encryption_configuration, so objects are stored unencrypted.'],
    ['b', 'Enable encryption at rest for this S3 bucket.'],
  ],
  [
    'Dockerfile',
    ['a', 'The container runs as root because no USER is set. Create an unprivileged user.'],
    ['a', 'No USER instruction: the process inside the image has root privileges.'],
    [
      'b',
      'COPY . . before npm ci invalidates the layer cache at every source change; copy package.json and the lock file first.',
    ],
    ['b', 'Dependencies are reinstalled on each build since the whole context is copied before npm ci.'],
  ],
  [
    '.github/workflows/ci.yml',
    [
      'a',
      'pull_request_target checks out the head of the pull request and runs its scripts with access to secrets, so a fork can steal them.',
    ],
    [
      'a',
      'Running untrusted code from a fork under pull_request_target exposes repository secrets. Use the pull_request event.',
    ],
    ['b', 'actions/checkout@master is not pinned to a commit; a compromised action would run here.'],
    ['b', 'Pin third-party actions to a full commit hash instead of a branch.'],
  ],
  [
    'src/auth/session.ts',
    ['a', 'The session id is not regenerated after login, which allows session fixation.'],
    ['a', 'Session fixation: call req.session.regenerate() once the user is authenticated.'],
    ['b', 'The cookie lacks httpOnly, so scripts can read the session token.'],
    ['b', 'Set httpOnly on the session cookie to keep it away from JavaScript (XSS).'],
    ['c', 'Sessions never expire on the server: maxAge only limits the cookie.'],
  ],
  [
    'src/auth/token.ts',
    [
      'a',
      'jwt.decode() does not verify the signature. Anyone can forge a token with role admin; use jwt.verify().',
    ],
    ['a', 'The token signature is never checked because decode is used instead of verify.'],
    [
      'b',
      'The secret falls back to "dev-secret" when JWT_SECRET is unset, which makes forged tokens possible in production.',
    ],
    ['b', 'Default secret: fail at startup when JWT_SECRET is missing rather than using a constant.'],
  ],
  [
    'src/upload.ts',
    [
      'a',
      'The MIME type is taken from the request header and not checked against the content, so an HTML file can be stored as image/png.',
    ],
    ['a', 'file.mimetype is controlled by the client. Inspect the magic bytes to determine the real type.'],
    ['b', 'There is no size limit for uploads, a single request can fill the disk.'],
    ['b', 'Set limits.fileSize for multer, otherwise arbitrarily large files are accepted.'],
  ],
  [
    'lib/scheduler.js',
    [
      'a',
      'setInterval keeps firing while the previous run is still busy, so runs overlap when a job takes longer than the interval.',
    ],
    [
      'a',
      'Overlapping executions: schedule the next run after the current one has finished instead of using setInterval.',
    ],
    ['b', 'The interval is never cleared in stop(), which keeps the process alive after shutdown.'],
    ['b', 'stop() forgets clearInterval; the timer keeps Node running.'],
  ],
  [
    'lib/events.js',
    ['a', 'An exception thrown by one listener stops the loop, and the remaining listeners are not called.'],
    ['a', 'If a listener throws, all later listeners miss the event. Wrap each call in try/catch.'],
    ['b', 'Removing a listener while emit iterates over the same array makes it skip the next listener.'],
    [
      'b',
      'emit() should iterate over a copy of the listeners: once() handlers remove themselves during iteration.',
    ],
  ],
  [
    'src/main/java/shop/Cart.java',
    [
      'a',
      'equals() is overridden without hashCode(), so carts behave incorrectly in a HashSet or as map keys.',
    ],
    ['a', 'Override hashCode together with equals.'],
    [
      'b',
      'items is returned directly; callers can change the internal list of the cart. Return an unmodifiable view.',
    ],
    ['b', 'getItems() exposes the mutable internal collection. Wrap it with Collections.unmodifiableList.'],
  ],
  [
    'src/main/java/shop/Repository.java',
    [
      'a',
      'The PreparedStatement and ResultSet are not closed. Use try-with-resources to avoid leaking database cursors.',
    ],
    ['a', 'Resource leak: neither the statement nor the result set is closed when an exception is thrown.'],
    [
      'b',
      'ORDER BY is built from the sort parameter without a whitelist, which permits SQL injection despite the prepared statement.',
    ],
    ['b', 'sort is concatenated into the ORDER BY clause. Only allow known column names.'],
  ],
  [
    'src/main/java/shop/Pricing.java',
    [
      'a',
      'BigDecimal values are compared with equals, which takes scale into account: 2.0 does not equal 2.00. Use compareTo.',
    ],
    ['a', 'Use compareTo() == 0 for BigDecimal; equals() returns false for different scales.'],
    ['b', 'The discount may exceed the price and the total becomes negative.'],
    ['b', 'No check that discount <= price, so a negative amount can be returned.'],
  ],
  [
    'src/buffer.c',
    [
      'a',
      'strcpy copies name into a fixed buffer of 64 bytes without a length check: stack buffer overflow for longer names.',
    ],
    ['a', 'Buffer overflow: name can be longer than buf. Use snprintf or check strlen first.'],
    ['b', 'The return value of malloc is not checked for NULL.'],
    ['b', 'malloc may fail and return NULL, which is dereferenced on the next line.'],
  ],
  [
    'src/list.c',
    ['a', 'node is freed and then node->next is read to advance the loop, a use after free.'],
    ['a', 'Use-after-free: save node->next before calling free(node).'],
    [
      'b',
      'head is not set to NULL after the list has been destroyed, so a second call frees everything again.',
    ],
    ['b', 'Double free when list_destroy() is called twice, because list->head keeps its old value.'],
  ],
  [
    'config/settings.py',
    ['a', 'DEBUG = True is the default in production settings and exposes stack traces to visitors.'],
    ['a', 'Debug mode must be off in production; error pages reveal settings and source code.'],
    ['b', 'ALLOWED_HOSTS = ["*"] disables the protection against Host header attacks.'],
    ['b', 'Host header validation is switched off by the wildcard in ALLOWED_HOSTS.'],
  ],
  [
    'analysis/stats.py',
    [
      'a',
      'Chained indexing df[mask]["price"] = 0 assigns to a temporary copy; the original frame is unchanged. Use df.loc.',
    ],
    ['a', 'SettingWithCopy: this assignment may have no effect. Use df.loc[mask, "price"] = 0.'],
    ['b', 'mean() ignores missing values silently, so the average is taken over fewer rows than count says.'],
    [
      'b',
      'NaN values are skipped by mean() but included in len(df), which makes the reported figures inconsistent.',
    ],
  ],
  [
    'analysis/train.py',
    [
      'a',
      'The scaler is fitted on the full data set before the train/test split, so information from the test set leaks into training.',
    ],
    ['a', 'Data leakage: fit the scaler on the training part only.'],
    ['b', 'No random_state is given to train_test_split, so results cannot be reproduced.'],
    ['b', 'The split is not reproducible without a fixed seed.'],
  ],
  [
    'scripts/deploy.sh',
    ['a', '$TARGET is unquoted: a path with spaces is split and rm -rf removes the wrong directories.'],
    ['a', 'Quote "$TARGET" in the rm command, word splitting could delete unrelated folders.'],
    ['b', 'The script does not use set -e, so the deployment continues after a failed build.'],
    ['b', 'Errors are ignored: without `set -euo pipefail` a failing step does not stop the deploy.'],
  ],
  [
    'scripts/backup.sh',
    [
      'a',
      'The pipeline hides a failure of pg_dump because only the status of gzip is looked at; set pipefail.',
    ],
    ['a', 'If pg_dump fails, gzip still succeeds and an empty backup is reported as good.'],
    ['b', 'The database password is passed on the command line and visible in ps.'],
    [
      'b',
      'Passing the password as an argument exposes it to other users through the process list. Use PGPASSFILE.',
    ],
  ],
  [
    'src/store/reducer.ts',
    ['a', 'state.items.push mutates the previous state, so connected components do not re-render.'],
    ['a', 'The reducer must return a new array instead of pushing into state.items.'],
    ['b', 'The default case returns undefined, which resets the store for unknown actions.'],
    [
      'b',
      'Unknown actions should return the current state; here the switch falls through and yields undefined.',
    ],
  ],
  [
    'src/i18n/plural.ts',
    [
      'a',
      'Plural rules are hard-wired to English; languages such as Polish or Arabic have more than two forms. Use Intl.PluralRules.',
    ],
    ['a', 'count === 1 ? one : other does not work for languages with several plural forms.'],
    ['b', 'The translation key is built by concatenation, so extraction tools cannot find it.'],
    ['c', 'Numbers are not formatted for the locale before they are inserted.'],
  ],
  [
    'src/http/retry.ts',
    [
      'a',
      'POST requests are retried as well, which can create the same resource several times. Retry only idempotent methods.',
    ],
    ['a', 'Retrying non-idempotent requests such as POST may duplicate side effects on the server.'],
    [
      'b',
      'The delay between attempts is constant. Add exponential backoff with jitter to avoid hammering the server.',
    ],
    ['b', 'Use exponential backoff instead of waiting a fixed 100 ms between retries.'],
    ['c', 'The Retry-After header of a 429 response is not honoured.'],
  ],
  [
    'src/http/client.ts',
    ['a', 'Increase the timeout: 2 seconds is too short for the export endpoint.'],
    ['b', 'Decrease the timeout: 2 seconds is far too long for a health check that runs on each request.'],
    ['c', 'The timeout is not passed on to fetch, so it has no effect.'],
  ],
  [
    'src/format.ts',
    ['a', 'Prefer a template literal over string concatenation here.'],
    ['b', 'Avoid the template literal here; the name is interpolated into HTML without escaping.'],
    ['b', 'Cross-site scripting: `name` is put into the markup unescaped.'],
  ],
  [
    'src/paginate.ts',
    ['a', 'offset is computed as page * size although pages start at 1, so the first page is skipped.'],
    [
      'a',
      'Off-by-one: with one-based pages the offset must be (page - 1) * size, otherwise the first results are never shown.',
    ],
    ['b', 'size comes from the query string and has no upper bound, a client can request millions of rows.'],
    ['b', 'Clamp the page size; ?size=1000000 loads the entire table.'],
  ],
  [
    'src/crypto/encrypt.ts',
    ['a', 'AES is used in ECB mode, which reveals patterns in the plain text. Use GCM with a random nonce.'],
    ['a', 'ECB mode is insecure because equal blocks encrypt to equal output; switch to aes-256-gcm.'],
    ['b', 'The key is derived with a single SHA-256 round from the password. Use scrypt or PBKDF2.'],
    [
      'b',
      'Deriving the encryption key by hashing the password once makes brute force cheap; a slow KDF is needed.',
    ],
  ],
  [
    'src/crypto/compare.ts',
    ['a', 'Comparing the HMAC with === leaks timing information; use crypto.timingSafeEqual.'],
    ['a', 'String comparison of signatures is vulnerable to a timing attack.'],
    ['b', 'The signature is compared before the timestamp is checked, so old requests can be replayed.'],
    ['b', 'Replay attack: there is no check that the timestamp of the signed request is recent.'],
  ],
  [
    'src/log.ts',
    ['a', 'User input is logged without removing line breaks, so an attacker can forge log entries.'],
    ['a', 'Log injection through newlines in the user name.'],
    ['b', 'The whole request body is logged, including passwords and card numbers.'],
    ['b', 'Sensitive data such as passwords ends up in the logs since req.body is written as is. Redact it.'],
  ],
  [
    'src/queue/consumer.ts',
    ['a', 'The message is acknowledged before it has been processed, so it is lost if the handler crashes.'],
    [
      'a',
      'ack() is called too early. Acknowledge only after handle() succeeded, otherwise failures drop messages.',
    ],
    [
      'b',
      'A message that always fails is requeued at once and blocks the queue. Send it to a dead letter queue after some attempts.',
    ],
    ['b', 'Poison messages loop forever because nack requeues them without a retry limit.'],
  ],
  [
    'src/cli/args.ts',
    ['a', 'parseInt without a radix; use parseInt(value, 10).'],
    [
      'b',
      'parseInt accepts "12abc" as 12, so invalid ports are not rejected. Use Number() and check for integers.',
    ],
    ['b', 'Trailing garbage is ignored by parseInt: --port 80x is taken as 80.'],
  ],
  [
    'src/cli/output.ts',
    ['a', 'Colors are printed even when stdout is not a terminal, which fills log files with escape codes.'],
    ['a', 'Check process.stdout.isTTY and NO_COLOR before emitting ANSI sequences.'],
    ['b', 'process.exit() right after console.log may truncate the output when stdout is a pipe.'],
    [
      'b',
      'Output can get lost: exit is called before stdout has been flushed. Set process.exitCode instead.',
    ],
  ],
  [
    'test/payment.test.ts',
    ['a', 'The test calls the live payment sandbox, so it fails without a network connection.'],
    ['a', 'This test depends on an external service and will be flaky in CI. Use a local fake server.'],
    [
      'b',
      'expect() sits inside a then callback that is not returned, so a failing assertion goes unnoticed.',
    ],
    ['b', 'The promise is not awaited: the test passes before the assertion runs.'],
  ],
]

export const saidLater: readonly SaidPlace[] = places.map(([file, ...said]) => ({ file, line: 40, said }))

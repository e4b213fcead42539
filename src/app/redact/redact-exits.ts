/**
 * The one door: all text that leaves this process for an agent, a file, a row, a commit or a person passes it. The
 * tables name every port, and each wrapper every method, so that a new one does not compile until somebody decides what
 * of it leaves.
 */
import { prepareRedactor, redactor } from '../../adapters/secrets/redact-secrets.ts'
import { redactStream } from '../../adapters/secrets/redact-stream.ts'
import type { Store } from '../../adapters/store/index.ts'
import { builtInAgent } from '../../model/config/written.ts'
import { rewriteParts } from '../../loop/own-text.ts'
import type {
  Agent,
  Agents,
  Artifacts,
  AuditStore,
  Branches,
  CheckCache,
  CheckOutput,
  CodeScans,
  CommitChecks,
  Checks,
  Composer,
  Forge,
  ForgeIssues,
  ForgeReviews,
  IssueStore,
  LeaseStore,
  Origins,
  Ports,
  Publisher,
  PullComments,
  PullVoteStore,
  PullRequests,
  ReviewOrderStore,
  ReviewThreads,
  Scanners,
  SessionStore,
  TriagePart,
} from '../../loop/ports.ts'

export { redactor }

type Doors<Whole> = { readonly [Name in keyof Whole]: (port: Whole[Name]) => Whole[Name] }

/** For ports through which no text of others leaves. */
const inside = <Port>(port: Port): Port => port

/** The ports of a repository with their exits closed to secrets. */
export const redactPorts = (ports: Ports): Ports => passThrough(ports, portDoors)

/** The store with its writes closed to secrets. */
export const redactStore = (store: Store): Store => passThrough(store, storeDoors)

function passThrough<Whole extends object>(whole: Whole, doors: Doors<Whole>): Whole {
  const names = Object.keys(doors) as (keyof Whole)[]
  return Object.fromEntries(names.map((name) => [name, doors[name](whole[name])])) as Whole
}

/** The same agent: no secret reaches it, and none comes back. */
export const redactAgent = (agent: Agent): Agent => ({
  name: agent.name,
  family: agent.family,
  can: agent.can,
  async run({ prompt, task, subagents, onUpdate, ...others }) {
    setImmediate(prepareRedactor) // it has time to load while the agent works
    const redactText = redactStream()
    const run = await agent.run({
      ...others,
      // Part by part: a secret that seems to begin in one fence and end in another must not join the two.
      prompt: await rewriteParts(prompt, redactor.text),
      task: redactor.value(task),
      ...(subagents && { subagents: redactor.value(subagents) }),
      onUpdate: (update) =>
        onUpdate(
          update.type === 'text' ? { ...update, text: redactText(update.text) } : redactor.value(update),
        ),
    })
    return {
      ...run,
      text: await redactAnswer(agent, run.text),
      ending: redactor.value(run.ending),
    }
  },
})

/** The built-in rules answer with a record of ours, which is sooner redacted than a text. */
async function redactAnswer({ name }: Agent, text: string): Promise<string> {
  if (text === '') return text
  return name === builtInAgent && isRecord(text) ? redactor.json(text) : redactor.text(text)
}

/** JSON that says everything once. */
const isRecord = (text: string): boolean =>
  text.startsWith('{') && text.endsWith('}') && JSON.stringify(parseRecord(text)) === text

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const redactAgents = (agents: Agents): Agents => ({
  forRole: (role) =>
    agents.forRole(role).map(({ agent, timeoutMs }) => ({ agent: redactAgent(agent), timeoutMs })),
})

const redactChecks = (checks: Checks): Checks => ({
  async run({ onOutput, ...request }) {
    const redactText = redactStream()
    const publish = ({ name, text }: CheckOutput): void =>
      onOutput?.({ name: redactor.value(name), text: redactText(text) })
    return redactor.value(await checks.run({ ...request, ...(onOutput && { onOutput: publish }) }))
  },
  hasRoom: () => checks.hasRoom?.() ?? false,
  flipsOf: async (command) => (await checks.flipsOf?.(command)) ?? [],
  noteFlips: async (command, tests) => checks.noteFlips?.(command, redactor.value(tests)),
})

const redactScanners = (scanners: Scanners): Scanners => ({
  names: scanners.names,
  async scan(name, revision, signal) {
    const scan = await scanners.scan(name, revision, signal)
    // Findings are tied to their code first, and redacted on their way into the store.
    return 'failed' in scan ? redactor.value(scan) : { ...scan, incomplete: redactor.value(scan.incomplete) }
  },
})

const redactOrigins = (origins: readonly Origins[]): readonly Origins[] =>
  origins.map((origin) => ({
    ask: async (issue, revision, where) => redactor.value(await origin.ask(issue, revision, where)),
  }))

const redactArtifacts = (artifacts: Artifacts): Artifacts => ({
  // The records of ours are made of what passed the door, or is on its way into rows, which pass it value by value.
  write: async (of, name, text) =>
    artifacts.write(of, name, name.endsWith('.json') ? redactor.json(text) : await redactor.text(text)),
  read: (of, name) => artifacts.read(of, name),
  list: (of) => artifacts.list(of),
})

const redactComposer = (composer: Composer): Composer => ({
  restore: (tree, base, paths) => composer.restore(tree, base, paths),
  add: (tree, files) => composer.add(tree, files),
  compose: (onto, patch) => composer.compose(onto, patch),
  commit: (request) => composer.commit({ ...request, message: redactor.value(request.message) }),
})

const redactBranches = (branches: Branches): Branches => ({
  check: (name) => branches.check(name),
  move: (request) => branches.move(request),
  note: (notes) => branches.note(notes.map(({ commit, text }) => ({ commit, text: redactor.json(text) }))),
  keep: (request) => branches.keep(request),
  drop: (name) => branches.drop(name),
  branchOf: (revision) => branches.branchOf(revision),
  names: () => branches.names(),
  hold: (commit) => branches.hold(commit),
})

const redactPublisher = (publisher: Publisher): Publisher => ({
  publish: (event) => publisher.publish(redactor.value(event)),
})

const redactIssues = (issues: IssueStore): IssueStore => ({
  get: (ids) => issues.get(ids),
  byCode: (repositoryId, codes) => issues.byCode(repositoryId, codes),
  list: (query) => issues.list(query),
  count: (filter) => issues.count(filter),
  facets: (filter) => issues.facets(filter),
  groups: (filter, by) => issues.groups(filter, by),
  census: (since) => issues.census(since),
  histories: (repositoryId) => issues.histories(repositoryId),
  change: (id, actor, edit) => issues.change(id, actor, (issue) => redactor.value(edit(issue))),
  previewTriage: ({ parts, ...request }) => issues.previewTriage({ ...request, parts: redactParts(parts) }),
  triage: ({ review, parts, ...others }) =>
    issues.triage({ ...others, review: redactor.value(review), parts: redactParts(parts) }),
})

/** Findings have their fingerprints by now, and known issues are redacted: the plan compares like with like. */
async function* redactParts(
  parts: Iterable<TriagePart> | AsyncIterable<TriagePart>,
): AsyncGenerator<TriagePart> {
  for await (const { findings, plan } of parts) yield { findings: redactor.value(findings), plan }
}

const redactSessions = (sessions: SessionStore): SessionStore => ({
  create: ({ session, attempts, events, key }) =>
    sessions.create({
      session: redactor.value(session),
      attempts: redactor.value(attempts),
      events: redactor.value(events),
      key,
    }),
  findRequest: (key) => sessions.findRequest(key),
  record: ({ session, attempts, issues, events, ...others }) =>
    sessions.record({
      ...others,
      ...(session && { session: redactor.value(session) }),
      ...(attempts && { attempts: redactor.value(attempts) }),
      ...(issues && {
        issues: issues.map(({ id, edit }) => ({ id, edit: (issue) => redactor.value(edit(issue)) })),
      }),
      events: redactor.value(events),
    }),
  take: (id, terms) => sessions.take(id, terms),
  load: (id) => sessions.load(id),
  requestCancel: (id) => sessions.requestCancel(id),
  isCancelRequested: (id) => sessions.isCancelRequested(id),
  leaveNote: (id, note) => sessions.leaveNote(id, redactor.value(note)),
  takeNotes: (id) => sessions.takeNotes(id),
  list: (repositoryId, limit) => sessions.list(repositoryId, limit),
  heads: (query) => sessions.heads(query),
  asking: (repositoryId) => sessions.asking(repositoryId),
  events: (id, afterSeq, limit) => sessions.events(id, afterSeq, limit),
  lastSeq: (id) => sessions.lastSeq(id),
})

const redactLeases = (leases: LeaseStore): LeaseStore => ({
  offer: (offer) => leases.offer(offer),
  take: (offered, owner) => leases.take(offered, owner),
  read: (attemptId) => leases.read(attemptId),
  attempt: (attemptId) => leases.attempt(attemptId),
  ofSession: (sessionId) => leases.ofSession(sessionId),
  change: (held, edit) => leases.change(held, (lease) => redactor.value(edit(lease))),
})

const redactReviewOrders = (orders: ReviewOrderStore): ReviewOrderStore => ({
  add: (order, review, owner) => orders.add(redactor.value(order), redactor.value(review), owner),
  read: (id) => orders.read(id),
  open: () => orders.open(),
  take: (offered, owner) => orders.take(offered, owner),
  giveBack: (held) => orders.giveBack(held),
  requestEnd: (id) => orders.requestEnd(id),
  report: (held, event) => orders.report(held, redactor.value(event)),
  end: (held, { review, event }) =>
    orders.end(held, { event: redactor.value(event), ...(review && { review: redactor.value(review) }) }),
  events: (id) => orders.events(id),
})

const redactCheckCache = (cache: CheckCache): CheckCache => ({
  get: (key) => cache.get(key),
  put: (key, run) => cache.put(key, redactor.value(run)),
})

const redactPullVotes = (votes: PullVoteStore): PullVoteStore => ({
  keep: (pull, kept) => votes.keep(pull, redactor.value(kept)),
  ofRepository: (id) => votes.ofRepository(id),
})

const redactAudit = (audit: AuditStore): AuditStore => ({
  begin: (entry) => audit.begin(redactor.value(entry)),
  end: (id, outcome) => audit.end(id, outcome),
  list: (query) => audit.list(query),
})

const redactPulls = (pulls: PullRequests): PullRequests => ({
  get: (number) => pulls.get(number),
  list: (branch) => pulls.list(branch),
  open: (request) => pulls.open(redactor.value(request)),
  edit: (number, changed) => pulls.edit(number, redactor.value(changed)),
  label: (number, labels) => pulls.label(number, redactor.value(labels)),
})

const redactForgeIssues = (issues: ForgeIssues): ForgeIssues => ({
  get: (number) => issues.get(number),
  list: (labels) => issues.list(labels),
  open: (request) => issues.open(redactor.value(request)),
  edit: (number, changed) => issues.edit(number, redactor.value(changed)),
})

const redactReviews = (reviews: ForgeReviews): ForgeReviews => ({
  find: (number, mark) => reviews.find(number, mark),
  post: (number, review) => reviews.post(number, redactor.value(review)),
  edit: (number, id, body) => reviews.edit(number, id, redactor.value(body)),
})

const redactThreads = (threads: ReviewThreads): ReviewThreads => ({
  list: (number) => threads.list(number),
  begin: (number, headSha, comment) => threads.begin(number, headSha, redactor.value(comment)),
  reply: (number, comment, body) => threads.reply(number, comment, redactor.value(body)),
  edit: (comment, body) => threads.edit(comment, redactor.value(body)),
  resolve: (thread) => threads.resolve(thread),
})

const redactScans = (scans: CodeScans): CodeScans => ({
  alerts: () => scans.alerts(),
  upload: (scan) => scans.upload({ ...scan, sarif: redactor.json(scan.sarif) }),
})

const redactComments = (comments: PullComments): PullComments => ({
  get: (id) => comments.get(id),
  post: (number, comment) => comments.post(number, redactor.value(comment)),
  edit: (id, body) => comments.edit(id, redactor.value(body)),
})

const redactCommitChecks = (checks: CommitChecks): CommitChecks => ({
  report: (check) => checks.report(redactor.value(check)),
})

/** The forge with everything that is written there closed to secrets. */
export const redactForge = (forge: Forge): Forge => passThrough(forge, forgeDoors)

const forgeDoors: Doors<Forge> = {
  about: inside,
  pulls: redactPulls,
  issues: redactForgeIssues,
  reviews: redactReviews,
  threads: redactThreads,
  scans: redactScans,
  comments: redactComments,
  checks: redactCommitChecks,
  permissionOf: inside,
}

const portDoors: Doors<Ports> = {
  trees: inside,
  composer: redactComposer,
  branches: redactBranches,
  checkout: inside,
  workspaces: inside,
  agents: redactAgents,
  checks: redactChecks,
  // Times only.
  pace: inside,
  imports: inside,
  scanners: redactScanners,
  origins: redactOrigins,
  inspector: inside,
  // The two come from a store that was redacted as it was opened.
  issues: inside,
  sessions: inside,
  artifacts: redactArtifacts,
  prompts: inside,
  clock: inside,
  ids: inside,
  hash: inside,
  publisher: redactPublisher,
  author: inside,
  jail: inside,
}

const redactWords = (words: Store['words']): Store['words'] =>
  words && { hear: (listener) => words.hear(listener), say: (said) => words.say(redactor.value(said)) }

const storeDoors: Doors<Store> = {
  repositories: inside,
  reviews: inside,
  issues: redactIssues,
  sessions: redactSessions,
  leases: redactLeases,
  reviewOrders: redactReviewOrders,
  checkCache: redactCheckCache,
  workers: inside,
  // Names and times only.
  providers: inside,
  // Names and numbers only.
  deliveries: inside,
  // The hash of a token stays as it is: it would not be found again.
  accessTokens: inside,
  audit: redactAudit,
  pullVotes: redactPullVotes,
  close: inside,
  integrity: inside,
  migrations: inside,
  version: inside,
  watch: inside,
  words: redactWords,
  isOwnerAlive: inside,
  readOwners: inside,
  figures: inside,
}

import { setTimeout as delay } from 'node:timers/promises'
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentCapabilities,
  type ClientContext,
  type AnyMessage,
  type Stream,
} from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { AgentTask } from '../../../model/agent/agent.ts'
import type { Duplex } from '../../process/duplex-process.ts'
import type { AcpOutcome } from './ending.ts'
import { choosePermission, isAllowed, placesOf } from './permission.ts'
import type { createUpdateReader } from './updates.ts'
import { workspaceFiles, resolveInside } from './workspace-files.ts'

export interface AcpTalk {
  readonly task: AgentTask
  readonly prompt: string
  readonly model: string | null
  /** The conversation to go on with. */
  readonly conversationId: string | null
  readonly reader: ReturnType<typeof createUpdateReader>
  /** How long an agent may take to answer at all. */
  readonly greetingMs: number
  readonly onSession: (session: { readonly id: string; readonly model: string | null }) => void
}

type Step = Extract<AcpOutcome, { said: 'error' }>['step']

/** One conversation over the Agent Client Protocol: greet, begin or load a session, prompt. Never rejects. */
export async function talkAcp(duplex: Duplex, talk: AcpTalk): Promise<AcpOutcome> {
  let step: Step = 'initialize'
  const enter = (next: Step): void => {
    step = next
  }
  try {
    const stream = guardStream(ndJsonStream(duplex.input, duplex.output), talk.reader.read)
    return await clientFor(talk).connectWith(stream, (agent) =>
      converse(agent, talk, { stopped: duplex.stopped, enter }),
    )
  } catch (error) {
    if (error instanceof RequestError)
      return { said: 'error', step, code: error.code, message: error.message, data: error.data }
    // A program's streams end a moment before the program itself, whose end says more. Its end says nothing after the
    // talk was broken off from here.
    if (!(error instanceof NotUnderstood)) await Promise.race([duplex.exited, delay(exitMs)])
    return { said: 'error', step, code: null, message: (error as Error).message, data: null }
  }
}

const exitMs = 250

function clientFor({ task }: AcpTalk) {
  const files = workspaceFiles(task.workspace, task.access)
  return client({ name: 'fixpoint' })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const places = placesOf(params.toolCall)
      const resolved = await Promise.all(places.map((path) => resolveInside(task.workspace, path)))
      const areInside = resolved.every((path) => path !== null)
      const allowed = isAllowed(task.access, params.toolCall.kind, { places: places.length, areInside })
      return { outcome: choosePermission(params.options, allowed ? 'allow' : 'reject') }
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({ content: await files.read(params) }))
    .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
      await files.write(params.path, params.content)
      return {}
    })
}

async function converse(
  agent: ClientContext,
  talk: AcpTalk,
  { stopped, enter }: Pick<Duplex, 'stopped'> & { readonly enter: (step: Step) => void },
): Promise<AcpOutcome> {
  const { task, reader } = talk
  const greeting = AbortSignal.any([stopped, AbortSignal.timeout(talk.greetingMs)])
  const greeted = await untilAborted(
    greeting,
    agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'fixpoint', version: '1' },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: task.access === 'write' },
        terminal: false,
      },
    }),
  )
  enter(talk.conversationId === null ? 'session' : 'load')
  const session = await untilAborted(stopped, openSession(agent, talk, greeted.agentCapabilities))
  talk.onSession({ id: session.id, model: talk.model ?? currentModelOf(session.offer) })
  enter('model')
  if (talk.model !== null)
    await untilAborted(stopped, chooseModel(agent, session.id, { model: talk.model, offer: session.offer }))
  enter('prompt')
  reader.open()
  const cancel = (): void =>
    // An agent that cannot be reached any more is ended anyway.
    void agent.notify(methods.agent.session.cancel, { sessionId: session.id }).catch(() => undefined)
  stopped.addEventListener('abort', cancel, { once: true })
  const prompt = [{ type: 'text' as const, text: talk.prompt }]
  const response = await agent.request(methods.agent.session.prompt, { sessionId: session.id, prompt })
  return { said: 'answer', ...read(Stop, response), response }
}

const Stop = z.object({ stopReason: z.string() })
const Session = z.object({ sessionId: z.string().min(1) })

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { data } = schema.safeParse(answer)
  if (data === undefined) throw new NotUnderstood('an answer lacks what it must hold')
  return data
}

/** The agent runs, but does not follow the protocol. */
class NotUnderstood extends Error {
  constructor(why: string) {
    super(`it does not speak the Agent Client Protocol: ${why}`)
  }
}

const resourceNotFound = -32_002

async function openSession(
  agent: ClientContext,
  { task, conversationId, reader }: AcpTalk,
  capabilities: AgentCapabilities | undefined,
): Promise<{ readonly id: string; readonly offer: unknown }> {
  const place = { cwd: task.workspace, mcpServers: [] }
  if (conversationId === null) {
    const offer = await agent.request(methods.agent.session.new, place)
    return { id: read(Session, offer).sessionId, offer }
  }
  if (capabilities?.loadSession !== true)
    throw new RequestError(resourceNotFound, 'the agent cannot load earlier conversations')
  const offer = await agent.request(methods.agent.session.load, { sessionId: conversationId, ...place })
  await reader.silence(quietMs)
  return { id: conversationId, offer }
}

/** Agents repeat a loaded conversation, some of them after they have said that it is loaded. */
const quietMs = 200

/** The result of the promise, unless the signal is aborted first. */
async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = new AbortController()
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        const fail = (): void => reject(new NotUnderstood('it does not answer'))
        if (signal.aborted) fail()
        else signal.addEventListener('abort', fail, { once: true, signal: aborted.signal })
      }),
    ])
  } finally {
    aborted.abort()
  }
}

/**
 * Hands updates to `onUpdate` and lets requests and awaited answers through. Everything else that an agent may send ends
 * here: the library would print it to our terminal.
 */
function guardStream({ readable, writable }: Stream, onUpdate: (params: unknown) => void): Stream {
  const awaited = new Set<unknown>()
  const outgoing = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && 'id' in message) awaited.add(message.id)
      controller.enqueue(message)
    },
  })
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!('id' in message)) {
        if (message.method === 'session/update') onUpdate(message.params)
      } else if ('method' in message || awaited.delete(message.id)) controller.enqueue(message)
    },
  })
  // Whoever holds the other end of the pipe sees how it ends; nobody here needs to know.
  outgoing.readable.pipeTo(writable).catch(() => undefined)
  return { readable: readable.pipeThrough(incoming), writable: outgoing.writable }
}

/** The choice of models, as older agents offer it. */
const Models = z.object({
  models: z.object({
    currentModelId: z.string(),
    availableModels: z.array(z.object({ modelId: z.string() })),
  }),
})

/** The choice of models, as newer agents offer it: one of the options of a session. */
const Options = z.object({
  configOptions: z.array(
    z.object({ id: z.string(), category: z.string().nullish(), currentValue: z.unknown() }),
  ),
})

const modelOptionOf = (offer: unknown) =>
  Options.safeParse(offer).data?.configOptions.find(({ category }) => category === 'model')

/** The model that a session begins with, where the agent tells it. */
function currentModelOf(offer: unknown): string | null {
  const option = modelOptionOf(offer)?.currentValue
  if (typeof option === 'string') return option
  return Models.safeParse(offer).data?.models.currentModelId ?? null
}

/** Sets the configured model; an agent that offers no choice is an error, so that no other model is used in silence. */
async function chooseModel(
  agent: ClientContext,
  sessionId: string,
  { model, offer }: { readonly model: string; readonly offer: unknown },
): Promise<void> {
  if (currentModelOf(offer) === model) return
  const option = modelOptionOf(offer)
  if (option) {
    await agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: option.id,
      value: model,
    })
    return
  }
  if (!Models.safeParse(offer).success)
    throw RequestError.invalidParams(
      { model },
      `the agent offers no choice of models, "${model}" cannot be set`,
    )
  await agent.request<unknown>('session/set_model', { sessionId, modelId: model })
}

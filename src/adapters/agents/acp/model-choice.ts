import { methods, RequestError, type ClientContext } from '@agentclientprotocol/sdk'
import { z } from 'zod'

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
export function currentModelOf(offer: unknown): string | null {
  const option = modelOptionOf(offer)?.currentValue
  if (typeof option === 'string') return option
  return Models.safeParse(offer).data?.models.currentModelId ?? null
}

/** Sets the configured model; an agent that offers no choice is an error, so that no other model is used in silence. */
export async function chooseModel(
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

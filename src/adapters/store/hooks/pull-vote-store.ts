import type { PullVoteStore } from '../../../loop/ports.ts'
import { VotesKept } from '../../../model/api/pull-requests.ts'
import { parseStored } from '../tables/stored-json.ts'
import type { Database } from '../tables/tables.ts'

export const pullVoteStore = ({ query }: Pick<Database, 'query'>): PullVoteStore => ({
  async keep({ repositoryId, number }, votes) {
    const data = JSON.stringify(votes)
    await query
      .insertInto('pull_vote')
      .values({ repository_id: repositoryId, number, data })
      .onConflict((conflict) => conflict.columns(['repository_id', 'number']).doUpdateSet({ data }))
      .execute()
  },
  async ofRepository(repositoryId) {
    const rows = await query
      .selectFrom('pull_vote')
      .select(['number', 'data'])
      .where('repository_id', '=', repositoryId)
      .execute()
    return new Map(rows.map(({ number, data }) => [number, parseStored(VotesKept, data)]))
  },
})

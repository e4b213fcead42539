import { Client } from 'pg'

/**
 * Copies the issues that a PostgreSQL database has, until there are so many of each, with ids, codes and fingerprints of
 * their own. Adding a million through the store would take many minutes.
 */
export async function multiplyIssues(url: string, times: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(copies, [times - 1])
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

const others = [
  'repository_id',
  'task_id',
  'file',
  'status',
  'severity',
  'rank',
  'search',
  'lead',
  'data',
  'rule',
]
const rest = [...others, 'tools', 'source', 'folder', 'created_at'].join(', ')

const copies = `
  insert into issue (id, code, fingerprint, ${rest})
  select id || 'c' || lpad(copy::text, 4, '0'), split_part(code, '-', 1) || '-' || (split_part(code, '-', 2)::int + copy * 1000000), left(copy || fingerprint, 16), ${rest}
  from issue cross join generate_series(1, $1) as copy`

// in-process session with git-call log: prof.ts issues concurrency sleep
import { writeFileSync, mkdirSync, chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeRepository } from '/tmp/bt/tree/test/fixtures/repositories.ts'
import { cp } from 'node:fs'
const [i,c,s] = process.argv.slice(2).map(Number)
const cpmod = await import('node:child_process')
const { openApp } = await import('/tmp/bt/tree/src/app/open-app.ts')

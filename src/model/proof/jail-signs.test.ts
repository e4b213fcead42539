import { expect, test } from 'vitest'
import { processorMs } from '../../../test/fixtures/processor-time.ts'
import { whatOpens } from './jail-signs.ts'

const command = {}

test.each([
  ['Error: getaddrinfo EAI_AGAIN registry.example.com', /network: true/],
  ['curl: (6) Could not resolve host: example.com', /network: true/],
  ['dial tcp: lookup example.com: no such host', /network: true/],
  ['connect ECONNREFUSED 127.0.0.1:5432', /network: true/],
  ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock', /jail: false/],
  [
    "ENOENT: no such file or directory, open '/home/me/data/big.json'",
    /asks for \/home\/me\/data\/big\.json.*workspace\.share/,
  ],
  ['cat: /srv/fixtures/a.txt: No such file or directory', /asks for \/srv\/fixtures\/a\.txt/],
])('%s names what opens it', (output, opens) => expect(whatOpens({ output }, command)).toMatch(opens))

test.each([
  ['AssertionError: 1 != 2', {}],
  ['getaddrinfo EAI_AGAIN example.com', { network: true }],
  ['Cannot connect to the Docker daemon', { jail: false }],
  ["ENOENT: no such file or directory, open 'src/a.txt'", {}],
])('%s with %j names nothing', (output, given) => expect(whatOpens({ output }, given)).toBeNull())

test('a long output is read in a moment', async () => {
  const output = `${'ENOENT '.repeat(20_000)}\n${'/home/'.repeat(20_000)}`
  expect(await processorMs(() => whatOpens({ output }, {}))).toBeLessThan(2000)
})

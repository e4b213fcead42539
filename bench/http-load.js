// One client for http.bench.ts: asks over kept connections for a while, and says how many answers it got.
import { connect } from 'node:net'

const [port, connections, seconds, token, ...paths] = process.argv.slice(2)
const requests = paths.map((path) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`),
)
let answered = 0
let isOver = false

for (let index = 0; index < Number(connections); index += 1) open(index)
setTimeout(
  () => {
    isOver = true
    console.log(String(answered))
    process.exit()
  },
  Number(seconds) * 1000,
)

/** One connection: the next request goes out when the answer to the last one is there whole. */
function open(/** @type {number} */ first) {
  const socket = connect(Number(port), '127.0.0.1')
  let turn = first
  let missing = 0
  const ask = () => {
    const request = requests[turn % requests.length]
    turn += 1
    if (request && !isOver) socket.write(request)
  }
  socket.on('data', (/** @type {Buffer} */ chunk) => {
    let rest = chunk
    if (missing === 0) {
      const end = chunk.indexOf('\r\n\r\n')
      const head = chunk.toString('latin1', 0, end)
      if (!head.startsWith('HTTP/1.1 200')) throw new Error(head)
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1])
      rest = chunk.subarray(end + 4)
    }
    missing -= rest.length
    if (missing > 0) return
    answered += 1
    ask()
  })
  ask()
}

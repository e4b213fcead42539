import type { Start } from '../../../loop/ports.ts'
import type { OpenGate } from './open-gate.ts'

/** Runs inside, beside the program: listens on loopback and passes every byte on to a socket that leads out. */
const doorkeeper = `
const net = require('node:net')
const open = ([port, path]) => new Promise((resolve, reject) => {
  net.createServer({ allowHalfOpen: true }, (inner) => {
    const outer = net.connect({ path, allowHalfOpen: true })
    inner.on('error', () => outer.destroy()).pipe(outer)
    outer.on('error', () => inner.destroy()).pipe(inner)
  }).on('error', reject).listen(port, '127.0.0.1', resolve)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
Promise.all(JSON.parse(process.argv[1]).map(open)).then(() => console.log('open'), (error) => {
  console.log(error.message)
  process.exit(1)
})
`

/** Waits until the doors are open, then becomes the program; the doorkeeper ends with everything else in the jail. */
const enter = `
said=/tmp/.doors
mkfifo "$said" || exit 125
"$1" -e "$2" -- "$3" < /dev/null > "$said" 2>&1 &
read -r word < "$said"
rm -f "$said"
[ "$word" = open ] || { echo "the doors of the jail did not open: $word" >&2; exit 125; }
shift 3
exec "$@"
`

/** The program with a doorkeeper beside it, and with what it is told of the way out. */
export const throughDoors = (start: Start, gate: OpenGate): Start => ({
  program: '/bin/sh',
  args: [
    '-c',
    enter,
    'sh',
    process.execPath,
    doorkeeper,
    JSON.stringify(gate.doors),
    start.program,
    ...gate.args,
  ],
  cwd: start.cwd,
  env: gate.env,
})

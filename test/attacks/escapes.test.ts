import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { workspaceFiles } from '../../src/adapters/agents/acp/workspace-files.ts'
import { configOf, createPlaces, envOf, fixpointIn, sources } from '../fixtures/command-line.ts'
import { describeInJail } from '../fixtures/jail.ts'
import { makeFolder } from '../fixtures/repositories.ts'
import { makeMachine, runJailed } from '../fixtures/attacks/machine.ts'

const opened: { dispose(): void }[] = []
const places = createPlaces()
afterEach(() => {
  opened.splice(0).forEach((place) => place.dispose())
  places.disposeAll()
})

const machine = () => {
  const made = makeMachine()
  opened.push(made)
  return made
}

describeInJail('a program that tries to leave the jail', () => {
  const attempts = [
    ['the kernel’s settings', 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern'],
    ['the key of the kernel', 'echo h > /proc/sysrq-trigger'],
    ['groups of processes', 'mkdir /sys/fs/cgroup/memory/out || mkdir /sys/fs/cgroup/out'],
    ['an agent of such a group', 'echo /tmp/x > /sys/fs/cgroup/memory/release_agent'],
    ['its own group', 'echo 0 > /sys/fs/cgroup/pids/cgroup.procs || echo 0 > /sys/fs/cgroup/cgroup.procs'],
    ['how it is mapped', 'echo "0 0 4294967295" > /proc/self/uid_map'],
    ['a namespace of the first process', 'nsenter -t 1 -a true'],
    ['the root of the first process', 'test -n "$(ls -A /proc/1/root/home)"'],
    ['interrupts', 'for f in /proc/irq/*/smp_affinity; do cat $f > $f && exit 0; done; false'],
    [
      'any setting of the kernel',
      'for f in $(find /proc/sys -type f -perm -200); do (: >> $f) && exit 0; done; false',
    ],
    ['a new root', 'unshare -Urm true || unshare -rp true || unshare -n true'],
    [
      'a new mount',
      'mount --bind /etc /mnt || mount -t proc p /mnt || mount -t overlay -o lowerdir=/etc:/usr o /mnt',
    ],
    ['a mount by the newer calls', `perl -e 'exit(syscall(430, "tmpfs", 0) >= 0 ? 0 : 1)'`],
    ['another user', 'su nobody -s /bin/sh -c true || setpriv --reuid 1 true || chown 1:1 .'],
    ['a device', 'mknod d c 1 1 || cat /dev/mem || cat /dev/vda || cat /dev/sda'],
    ['the memory of the first process', 'dd if=/proc/1/mem bs=1 count=1 skip=4096 of=/dev/null'],
    ['the wall by a signal', 'kill -9 1; kill -STOP 1; false'],
    ['a module', 'insmod x || modprobe dummy'],
    ['the clock', 'date -s "$(date)"'],
    ['the name of the machine', 'hostname evil'],
    ['a raw socket', `perl -e 'use Socket; exit(socket(S, PF_INET, SOCK_RAW, 1) ? 0 : 1)'`],
    [
      'devices and firmware',
      'ls /sys/class || ls /sys/firmware || ls /sys/bus || ls /sys/block || ls /sys/module',
    ],
    ['addresses of networks', 'test -n "$(find /sys -path "*/net/*/address")"'],
    [
      'anything of the machine',
      'for f in $(find /sys -type f -perm /222); do (: >> $f) && exit 0; done; false',
    ],
    ['a service of the machine', 'ls /run/docker.sock /var/run/docker.sock /run/dbus /run/systemd /run/user'],
  ] as const
  it('gets at nothing of the kernel, of other processes and of the machine', async () => {
    const place = machine()
    const tries = attempts.map(([what, command]) => `(${command}) > /dev/null 2>&1 && echo 'got at ${what}'`)
    const result = await runJailed(place, `${tries.join('\n')}\necho tried`)
    expect(result.out).toBe('tried')
  })

  it('holds no file of the outside open, gets no new rights, and sees no number of a process outside', async () => {
    const place = machine()
    const result = await runJailed(
      place,
      `for f in /proc/[0-9]*/fd/*; do readlink $f; done | grep -v '^/proc/' | sed 's/[0-9]*\\]$/N]/' | sort -u
       grep NoNewPrivs /proc/self/status | tr -s '\\t' ' '; cat /proc/1/cgroup | grep -c fixpoint`,
    )
    const lines = result.out.split('\n')
    expect(lines.filter((line) => line.startsWith('/') && !line.startsWith('/dev/null'))).toEqual([])
    expect(lines).toContain('NoNewPrivs: 1')
  })

  it('leaves nothing behind by links, pipes, sockets and special modes in its workspace', async () => {
    const place = machine()
    writeFileSync(join(place.folder, 'victim'), 'mine\n')
    await runJailed(
      place,
      `ln -s ${place.folder}/victim soft; echo x > soft; ln ${place.folder}/victim hard; mkfifo pipe; ln -s /proc/self/root up
       cp /bin/sh shell; chmod 6755 shell; ln -s / top; echo x > top${place.folder}/victim; echo x > up${place.folder}/victim`,
    )
    expect(readFileSync(join(place.folder, 'victim'), 'utf8')).toBe('mine\n')
    expect(existsSync(join(place.workspace, 'hard'))).toBe(false)
  })
})

it('a folder that is swapped for a link while an agent writes through Fixpoint leads nowhere else', async () => {
  const { folder, dispose } = makeFolder()
  opened.push({ dispose })
  const [workspace, outside] = [join(folder, 'workspace'), join(folder, 'outside')]
  for (const path of [workspace, outside]) mkdirSync(path, { recursive: true })
  const swapper = spawn(
    process.execPath,
    [
      '-e',
      `const fs = require('node:fs'); process.chdir(${JSON.stringify(workspace)})
       const make = [() => fs.mkdirSync('swapped'), () => fs.symlinkSync(${JSON.stringify(outside)}, 'swapped')]
       fs.writeSync(1, 'ready')
       for (let turn = 0; ; turn += 1) try { fs.rmSync('swapped', { recursive: true, force: true }); make[turn % 2]() } catch {}`,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const ended = once(swapper, 'exit')
  await once(swapper.stdout, 'data')
  const files = workspaceFiles(workspace, 'write')
  let written = 0
  const until = performance.now() + 3000
  for (let index = 0; performance.now() < until || (written === 0 && index < 5000); index += 1)
    await files.write(`swapped/made-${index}/file`, 'x').then(
      () => (written += 1),
      () => undefined,
    )
  swapper.kill('SIGKILL')
  await ended
  expect(readdirSync(outside)).toEqual([])
  expect(written).toBeGreaterThan(0)
})

it('nobody else on the machine reads what Fixpoint keeps', () => {
  const { repository } = places.open({ ...sources, 'fixpoint.yaml': configOf() })
  expect(fixpointIn(repository.root, envOf(repository), ['review', '--yes'])).toMatchObject({ exitCode: 0 })
  expect((statSync(repository.home).mode & 0o777).toString(8)).toBe('700')
})

describeInJail('the sockets of the machine', () => {
  it('are out of reach, by name and by path', async () => {
    const place = machine()
    const path = join(place.folder, 'service.sock')
    const server = createServer((socket) => socket.end('reached')).listen(path)
    await once(server, 'listening')
    const connect = `node -e 'require("net").connect(${JSON.stringify(path)}).on("data",d=>console.log(String(d))).on("error",e=>console.log(e.code))'`
    const loopback = await runJailed(place, connect)
    const open = await runJailed(place, connect, { network: 'open' })
    server.close()
    expect([loopback.out, open.out]).toEqual(['ENOENT', 'ENOENT'])
  })
})

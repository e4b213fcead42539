import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { collectControlGroups, makeControlGroup } from '../../src/adapters/jail/control-group.ts'
import { createJail } from '../../src/adapters/jail/index.ts'
import { defaultLimits } from '../../src/adapters/jail/limits.ts'
import { renderBoundedText } from '../../src/adapters/process/bounded-text.ts'
import { createRunMark } from '../../src/adapters/process/run-mark.ts'
import { runProcess } from '../../src/adapters/process/run-process.ts'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { describeInJail, jailOf } from '../fixtures/jail.ts'
import { makeMachine, runJailed as run, type Machine } from '../fixtures/attacks/machine.ts'

const places: { dispose(): void }[] = []
afterEach(() => places.splice(0).forEach((place) => place.dispose()))

const canary = 'CANARY_4f1c9a'

function makePlace(): Machine {
  const place = makeMachine()
  places.push(place)
  return place
}

/** Processes that work in a folder, whatever their environment says. */
const sleepers = (folder: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    } catch {
      return false // ended meanwhile
    }
  })

describeInJail('the walls of the jail', () => {
  it('let a program work in its workspace and keep what it writes there', async () => {
    const place = makePlace()
    const result = await run(place, 'echo hello > made.txt && pwd')
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, out: place.workspace })
    expect(readFileSync(join(place.workspace, 'made.txt'), 'utf8')).toBe('hello\n')
  })

  it('hide the home, the checkout, the database and the temporary files of the person', async () => {
    const place = makePlace()
    const secrets = [
      join(place.user, '.ssh/id_x'),
      join(place.user, '.config/gh/hosts.yml'),
      join(place.user, '.netrc'),
      join(place.root, '.env'),
      join(place.home, 'fixpoint.db'),
      join(place.home, 'workspaces/other/tree/key'),
      join(place.folder, 'beside'),
    ]
    for (const path of secrets) {
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, canary)
    }
    const result = await run(
      place,
      `cat ${secrets.map((path) => `"$P"${path}`).join(' ')}; ls -a ~`,
      {},
      { P: '' },
    )
    expect(result.said).not.toContain(canary)
    expect(result.said).toContain('No such file')
  })

  it('show no other process, and nothing of the environment that started it', async () => {
    const place = makePlace()
    const result = await run(
      place,
      'cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"; ls -d /proc/[0-9]* | wc -l',
    )
    expect(result.said).not.toContain('VITEST')
    expect(Number(result.out.split('\n').at(-1))).toBeLessThan(10)
  })

  it('leave nothing writable but the workspace and what is gone afterwards', async () => {
    const place = makePlace()
    const tries = [
      '/etc/x',
      '/usr/x',
      '/usr/local/bin/x',
      '/x',
      '/var/x',
      `${place.folder}/x`,
      '/sys/x',
      '/proc/sys/kernel/x',
    ]
    const result = await run(
      place,
      `for f in ${tries.join(' ')}; do (echo x > $f) 2>/dev/null && echo "wrote $f"; done; echo x > ~/y && echo x > /tmp/y && echo scratch`,
    )
    expect(result.out.split('\n').filter((line) => line !== `wrote ${place.folder}/x`)).toEqual(['scratch'])
    expect(tries.filter((path) => existsSync(path))).toEqual([])
    expect(existsSync(join(place.user, 'y'))).toBe(false)
  })

  it('give no rights over the kernel: no mounts, no namespaces, no other user, no devices', async () => {
    const place = makePlace()
    const result = await run(
      place,
      `mount -o remount,rw / && echo remounted; mount -t tmpfs x /mnt && echo mounted; umount ~ && echo unmounted
       unshare -Ur true && echo namespace; chroot / true && echo chroot; mknod d b 8 0 && echo device
       nsenter -t 1 -m true && echo entered; cat /dev/sda /dev/mem /dev/kmsg && echo read; grep -h Cap /proc/self/status`,
    )
    expect(result.out.split('\n').map((line) => line.replace(/\s+/, ' '))).toEqual(
      ['CapInh:', 'CapPrm:', 'CapEff:', 'CapBnd:', 'CapAmb:'].map((name) => `${name} 0000000000000000`),
    )
  })

  it('leave out the calls of the kernel that nobody needs, and none that programs do', async () => {
    const place = makePlace()
    const everywhere = [425, 438, 457, 458, 467]
    const numbers: Readonly<Record<string, readonly number[]>> = {
      x64: [250, 321, 298, 323, 165, 272, 308, 310, 311, ...everywhere],
      arm64: [219, 280, 241, 282, 40, 97, 268, 270, 271, ...everywhere],
    }
    const calls = (numbers[process.arch] ?? []).join(', ')
    const call = process.arch === 'x64' ? 16 : 29
    const socket = process.arch === 'x64' ? 41 : 198
    const result = await run(
      place,
      `perl -e 'for my $n (${calls}) { my $r = syscall($n, 0x10000000, 0, 0, 0, 0); print $r == -1 && ($! == 1 || $! == 38) ? "refused\n" : "$n gave $r, $!\n" }
        my $b = "x"; my $r = syscall(${call}, 0, 0x5412, $b); print "typed: ", $! + 0, "\n";
        $r = syscall(${socket}, 40, 1, 0); print "vsock: ", $! + 0, "\n";
        $r = syscall(${socket}, 1, 1, 0); print $r > 0 ? "unix\n" : "no unix\n"'
       grep Seccomp: /proc/self/status; node -e 'const { Worker } = require("worker_threads"); new Worker("console.log(1 + 1)", { eval: true })'`,
    )
    expect(result.out.split('\n').map((line) => line.replace(/\s+/, ' '))).toEqual([
      ...(numbers[process.arch] ?? []).map(() => 'refused'),
      'typed: 1',
      'vsock: 97',
      'unix',
      'Seccomp: 2',
      '2',
    ])
  })

  it('cut off abstract sockets, shared memory, other processes and the terminal', async () => {
    const place = makePlace()
    const server = createServer((socket) => socket.end('reached')).listen(`\0fixpoint-${process.pid}`)
    await new Promise((resolve) => server.once('listening', resolve))
    const connect = `node -e 'require("net").connect("\\0fixpoint-${process.pid}").on("data",d=>console.log(String(d))).on("error",e=>console.log(e.code))'`
    const result = await run(
      place,
      `${connect}; ipcs -m | grep -c 0x; kill -0 ${process.pid} && echo signalled; cat /proc/${process.pid}/cmdline && echo seen
       ls /proc/1/root/home; cat < /dev/tty && echo terminal; cat /proc/self/fd/3 /proc/1/fd/3 && echo leaked`,
    )
    server.close()
    expect(result.out).not.toMatch(/reached|signalled|seen|terminal|leaked/)
    expect(result.out).toContain('ECONNREFUSED')
  })

  it('keep what configures an agent out of its sight at every depth, but not what it shall change', async () => {
    const place = makePlace()
    for (const path of [
      'CLAUDE.md',
      'a/b/CLAUDE.md',
      'a/.claude/settings.json',
      'c/AGENTS.md',
      'c/code.js',
      'vendor/dist/CLAUDE.md',
    ]) {
      mkdirSync(join(place.workspace, path, '..'), { recursive: true })
      writeFileSync(join(place.workspace, path), `${path} is seen\n`)
    }
    symlinkSync('c/AGENTS.md', join(place.workspace, 'GEMINI.md'))
    const unseen = { names: ['CLAUDE.md', '.claude', 'AGENTS.md', 'GEMINI.md'], except: ['a/b/CLAUDE.md'] }
    const result = await run(
      place,
      'cat CLAUDE.md */*.md */*/*.md vendor/dist/* a/.claude/* GEMINI.md c/code.js',
      {
        unseen,
      },
    )
    expect(result.out.split('\n').toSorted()).toEqual(['a/b/CLAUDE.md is seen', 'c/code.js is seen'])
    expect(readFileSync(join(place.workspace, 'CLAUDE.md'), 'utf8')).toBe('CLAUDE.md is seen\n')
  })

  it('end with Fixpoint itself, however that is ended', async () => {
    const place = makePlace()
    const script = join(import.meta.dirname, '../fixtures/processes/owns-jailed-run.mjs')
    const owner = spawn(process.execPath, [script, JSON.stringify(place)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(owner.stdout, 'data')
    const groups = () => globSync(`/sys/fs/cgroup/{,pids/,memory/}fixpoint-${owner.pid}-*`)
    const own = await makeControlGroup(defaultLimits)
    await own?.remove()
    expect(groups()).toHaveLength(own?.folders.length ?? 0)
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    await expect.poll(() => survivorsOf(place.home), { timeout: 200_000 }).toEqual([])
    await expect.poll(() => sleepers(place.workspace), { timeout: 200_000 }).toEqual([])
    // The kernel keeps a group until somebody removes it; the next start of any Fixpoint removes it.
    await expect.poll(() => collectControlGroups().then(groups), { timeout: 200_000 }).toEqual([])
  })

  it('end with Fixpoint also when that ends before they stand', async () => {
    const place = makePlace()
    const slow = join(place.folder, 'slow-bwrap')
    writeFileSync(slow, `#!/bin/sh\n: > ${place.folder}/begun\nsleep 1\nexec /usr/bin/bwrap "$@"\n`, {
      mode: 0o755,
    })
    const script = join(import.meta.dirname, '../fixtures/processes/owns-jailed-run.mjs')
    const owner = spawn(process.execPath, [script, JSON.stringify(place), slow], { stdio: 'ignore' })
    await expect.poll(() => existsSync(join(place.folder, 'begun')), { timeout: 60_000 }).toBe(true)
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    await expect.poll(() => survivorsOf(place.home), { timeout: 60_000 }).toEqual([])
    await expect.poll(() => sleepers(place.workspace), { timeout: 60_000 }).toEqual([])
  })

  it('end everything with the program, also what left its session and its environment', async () => {
    const place = makePlace()
    const result = await run(
      place,
      'env -i setsid sleep 300 & (setsid nohup sleep 300 >/dev/null 2>&1 &); sleep 0.2; echo done',
    )
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, out: 'done', survivors: [] })
    expect((await run(place, 'ps -ef 2>/dev/null | grep "sleep 300" | grep -v grep')).out).toBe('')
  })

  it('let checks reach nothing but themselves', async () => {
    const place = makePlace()
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const connect = `node -e 'require("net").connect(${port},"127.0.0.1").on("data",d=>console.log(String(d))).on("error",e=>console.log(e.code))'`
    try {
      expect((await run(place, connect)).out).toBe('ECONNREFUSED')
      expect((await run(place, connect, { network: 'open' })).out).toBe('reached')
      const own = `node -e 'const s=require("net").createServer(c=>c.end("own")).listen(0,"127.0.0.1",()=>require("net").connect(s.address().port,"127.0.0.1").on("data",d=>{console.log(String(d));process.exit()}))'`
      expect((await run(place, own)).out).toBe('own')
    } finally {
      server.close()
    }
  })

  it('stop a file that grows without end, and a program that asks for all memory or all processes', async () => {
    const place = makePlace()
    const limits = { processes: 60, memoryBytes: 256 * 2 ** 20, fileBytes: 2 ** 20 }
    const jail = jailOf(place, { limits })
    const limited = async (command: string) => {
      const mark = createRunMark(place.home)
      const result = await runProcess({
        command,
        shell: true,
        cwd: place.workspace,
        env: place.env,
        timeoutMs: 60_000,
        mark,
        walls: jail.around({ network: 'loopback' }),
      })
      return {
        ...result,
        said: renderBoundedText(result.stdout) + renderBoundedText(result.stderr),
        survivors: survivorsOf(place.home),
      }
    }
    const file = await limited('dd if=/dev/zero of=big bs=1M count=20; stat -c %s big')
    expect(file.said).toContain(String(limits.fileBytes))
    const memory = await limited('node -e "const a=[];for(;;)a.push(Buffer.alloc(1<<24,1))"; echo after')
    expect(memory.exitCode === 0 && !memory.said.includes('after')).toBe(false)
    expect(memory.said).not.toContain('heap')
    const forks = await limited('i=0; while [ $i -lt 200 ]; do sleep 30 & i=$((i + 1)); done; echo after')
    expect(forks.said).not.toContain('after')
    expect(forks.survivors).toEqual([])
  })

  it.each([
    ['memory', 'node -e "const a=[];for(;;)a.push(Buffer.alloc(1<<24,1))"'],
    [
      'folders of its own',
      'for f in /tmp ~ /dev/shm; do dd if=/dev/zero of=$f/x bs=1M count=200; done; sleep 60',
    ],
    ['memory with empty files', 'i=0; while :; do i=$((i+1)); : > /tmp/$i; done'],
    ['the disk', 'i=0; while :; do i=$((i+1)); dd if=/dev/zero of=part$i bs=1M count=100 2>/dev/null; done'],
    ['the disk with empty files', 'i=0; while :; do i=$((i+1)); : > part$i; done'],
  ])('end a program that fills %s, also where no control group can be made', async (what, command) => {
    const place = makePlace()
    const { bavail, bsize, ffree } = statfsSync(place.workspace)
    const limits = {
      processes: 60,
      memoryBytes: (what === 'memory with empty files' ? 32 : 256) * 2 ** 20,
      fileBytes: 2 ** 30,
      ...(what === 'the disk' && { freeDiskBytes: bavail * bsize - 2 ** 28 }),
      ...(what === 'the disk with empty files' && { freeDiskFiles: ffree - 3000 }),
    }
    const walls = jailOf(place, { limits, hasControlGroups: false }).around({ network: 'loopback' })
    const result = await runProcess({
      command,
      shell: true,
      cwd: place.workspace,
      env: place.env,
      timeoutMs: 50_000,
      mark: createRunMark(place.home),
      walls,
    })
    expect(result).toMatchObject({
      ended: 'signalled',
      error: expect.stringMatching(/^it (took|filled)/) as string,
    })
    expect(survivorsOf(place.home)).toEqual([])
  })

  it('let no program start processes without end, also where no control group can be made', async () => {
    const place = makePlace()
    const limits = { processes: 60, memoryBytes: 2 ** 30, fileBytes: 2 ** 30 }
    const result = await runProcess({
      command: 'i=0; while [ $i -lt 200 ]; do sleep 30 & i=$((i + 1)); done; wait; echo all of them',
      shell: true,
      cwd: place.workspace,
      env: place.env,
      timeoutMs: 100_000,
      mark: createRunMark(place.home),
      walls: jailOf(place, { limits, hasControlGroups: false }).around({ network: 'loopback' }),
    })
    const said = renderBoundedText(result.stdout) + renderBoundedText(result.stderr) + (result.error ?? '')
    expect(said).not.toContain('all of them')
    expect(said).toMatch(/fork|more than 60 processes/)
    expect(survivorsOf(place.home)).toEqual([])
  })

  it('are not entered when something is wrong with them, and that is no failed check', async () => {
    const place = makePlace()
    const walls = createJail({
      mode: 'required',
      probe: {
        found: true,
        program: '/bin/false',
        version: '0',
        can: { disableUserns: false, seccomp: false, layers: 'none', diesEarly: true },
      },
      home: place.home,
      root: place.root,
      userHome: place.user,
      objectDirs: [],
    }).around({ network: 'loopback' })
    const result = await runProcess({
      command: 'true',
      shell: true,
      cwd: place.workspace,
      env: place.env,
      timeoutMs: 60_000,
      walls,
    })
    expect(result).toMatchObject({ ended: 'not_started', exitCode: null })
  })
})

describeInJail('tools of the person in the jail', () => {
  const tool = (name: string): string => `#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../lib/${name}"\n`
  const install = (prefix: string, name: string): void => {
    mkdirSync(join(prefix, 'bin'), { recursive: true })
    mkdirSync(join(prefix, 'lib'), { recursive: true })
    writeFileSync(join(prefix, 'lib', name), `${name} works\n`)
    writeFileSync(join(prefix, 'bin', name), tool(name), { mode: 0o755 })
  }
  const base = '/usr/local/bin:/usr/bin:/bin'

  it.each([
    ['nvm', '.nvm/versions/node/v20.1.0'],
    ['volta', '.volta'],
    ['fnm', '.local/share/fnm/node-versions/v20/installation'],
    ['asdf', '.asdf/installs/ruby/3.3'],
    ['mise', '.local/share/mise/installs/go/1.22'],
    ['pyenv', '.pyenv/versions/3.12'],
    ['conda', 'miniconda3'],
    ['uv', '.local/share/uv/tools/thing'],
    ['rbenv', '.rbenv/versions/3.3'],
    ['sdkman', '.sdkman/candidates/java/21'],
    ['cargo', '.cargo'],
    ['rustup', '.rustup/toolchains/stable'],
    ['bun', '.bun'],
    ['an installation somewhere', 'apps/thing-1.2'],
  ])('%s below the home works, and cannot be changed', async (_, folder) => {
    const place = makePlace()
    const prefix = join(place.user, folder)
    install(prefix, 'tool')
    const result = await run(
      place,
      `tool; (echo x > ${prefix}/lib/tool) 2>/dev/null || echo kept`,
      {},
      { PATH: `${prefix}/bin:${base}` },
    )
    expect(result.out).toBe('tool works\nkept')
  })

  it('a virtual environment in the checkout works, and what else is there stays hidden', async () => {
    const place = makePlace()
    const venv = join(place.root, '.venv')
    install(venv, 'pytest')
    writeFileSync(join(venv, 'pyvenv.cfg'), 'home = /usr/bin\n')
    symlinkSync(realpathSync('/bin/sh'), join(venv, 'bin/python'))
    writeFileSync(join(place.root, '.env'), canary)
    const result = await run(
      place,
      `pytest; python -c 'echo runs'; ls -a ${place.root}`,
      {},
      {
        PATH: `${venv}/bin:${base}`,
        VIRTUAL_ENV: venv,
      },
    )
    expect(result.out).toBe('pytest works\nruns\n.\n..\n.venv')
  })

  it('programs of the checkout on the PATH work, and do not bring the checkout along', async () => {
    const place = makePlace()
    install(place.root, 'tool')
    writeFileSync(join(place.root, 'bin/tool'), '#!/bin/sh\necho tool works\n', { mode: 0o755 })
    writeFileSync(join(place.root, '.env'), canary)
    const command = `tool; ls -a ${place.root}; cat ${place.root}/.env`
    for (const path of [`${place.root}/bin`, `${place.root}/bin:${place.root}`]) {
      const result = await run(place, command, {}, { PATH: `${path}:${base}` })
      expect(result.out).toBe('tool works\n.\n..\nbin')
      expect(result.said).not.toContain(canary)
    }
  })

  it('a cache is there without what logs somebody in, which only setup sees', async () => {
    const place = makePlace()
    mkdirSync(join(place.user, '.cargo/registry'), { recursive: true })
    mkdirSync(join(place.user, '.m2/repository'), { recursive: true })
    writeFileSync(join(place.user, '.cargo/registry/crate'), 'cached\n')
    writeFileSync(join(place.user, '.cargo/credentials.toml'), canary)
    writeFileSync(join(place.user, '.m2/settings.xml'), canary)
    writeFileSync(join(place.user, '.npmrc'), canary)
    const command = 'cat ~/.cargo/registry/crate ~/.cargo/credentials.toml ~/.m2/settings.xml ~/.npmrc'
    expect((await run(place, command)).out).toBe('cached')
    const setup = await run(place, command, { hasPackageSettings: true, network: 'open' })
    expect(setup.out).toBe(`cached\n${canary}${canary}${canary}`)
  })

  it.each([
    '.npm',
    '.m2/repository',
    '.gradle/caches',
    '.cargo/registry',
    'go/pkg',
    '.ivy2/cache',
    '.nuget/packages',
    '.cache/pip',
    '.cache/go-build',
    '.local/share/pnpm/store',
  ])('the cache ~/%s is there, can be written to, and is what it was afterwards', async (cache) => {
    const place = makePlace()
    const folder = join(place.user, cache)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'old'), 'cached\n')
    const result = await run(
      place,
      `cd ~/${cache} && cat old && echo poisoned > old && echo new > new && cat old new && id -u`,
    )
    expect(result.out).toBe(`cached\npoisoned\nnew\n${String(process.getuid?.())}`)
    expect(readdirSync(folder)).toEqual(['old'])
    expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('cached\n')
  })

  it.each([
    ['.cargo/credentials.toml', canary],
    ['.cargo/config.toml', `[registries.own]\ntoken = "${canary}"`],
    ['.m2/settings.xml', canary],
    ['.m2/settings-other.xml', canary],
    ['.gradle/gradle.properties', canary],
    ['.gradle/init.d/login.gradle', canary],
    ['.gem/credentials', canary],
    ['.sbt/.credentials', canary],
    ['.pub-cache/credentials.json', canary],
    ['.local/share/uv/credentials/one.toml', canary],
    ['.julia/servers/pkg/auth.toml', canary],
    ['.dotnet/corefx/cryptography/key.pfx', canary],
    ['.foundry/keystores/wallet', canary],
    ['miniconda3/.condarc', canary],
    ['.npmrc', canary],
    ['.pypirc', canary],
    ['.netrc', canary],
    ['.docker/config.json', canary],
    ['.aws/credentials', canary],
    ['.kube/config', canary],
    ['.git-credentials', canary],
    ['.bash_history', canary],
  ])('~/%s stays outside', async (path, text) => {
    const place = makePlace()
    mkdirSync(join(place.user, path, '..'), { recursive: true })
    writeFileSync(join(place.user, path), text)
    expect((await run(place, `cat ~/${path}; grep -r CANARY ~`)).said).not.toContain(canary)
  })

  it('settings of a tool that hold no login are there', async () => {
    const place = makePlace()
    mkdirSync(join(place.user, '.cargo'))
    writeFileSync(join(place.user, '.cargo/config.toml'), '[build]\njobs = 2\n')
    expect((await run(place, 'cat ~/.cargo/config.toml')).out).toBe('[build]\njobs = 2')
  })

  it('a program that a command names by its path comes with the folder around it', async () => {
    const place = makePlace()
    mkdirSync(join(place.user, 'tools'))
    writeFileSync(join(place.user, 'tools/lib.mjs'), 'export const word = "beside"\n')
    writeFileSync(
      join(place.user, 'tools/agent.mjs'),
      'import { word } from "./lib.mjs"\nconsole.log(word)\n',
    )
    writeFileSync(join(place.user, 'other'), canary)
    expect((await run(place, 'node ~/tools/agent.mjs; cat ~/other')).out).toBe('beside')
    mkdirSync(join(place.user, '.ssh'))
    writeFileSync(join(place.user, '.ssh/id_x'), canary)
    expect((await run(place, 'cat ~/.ssh/id_x')).said).not.toContain(canary)
  })
})

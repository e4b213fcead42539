import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { buildProgram } from '../src/cli/program.ts'
import { settings } from '../src/model/config/settings.ts'
import { settingsIn } from '../src/model/config/setting.ts'

const folder = join(import.meta.dirname, '../deploy')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** Every schema is strict, because the cluster would ignore a misspelt key of a manifest in silence. */
const strict = z.strictObject
const Labels = z.record(z.string(), z.string())
const Metadata = strict({ name: z.string(), labels: Labels.optional(), annotations: Labels.optional() })
const Env = z.union([
  strict({ name: z.string(), value: z.string() }),
  strict({
    name: z.string(),
    valueFrom: strict({
      secretKeyRef: strict({
        name: z.literal('fixpoint'),
        key: z.string(),
        optional: z.boolean().optional(),
      }),
    }),
  }),
])
const Timing = { periodSeconds: z.int().positive(), failureThreshold: z.int().positive().optional() }
const Probe = z.union([
  strict({ exec: strict({ command: z.array(z.string()) }), ...Timing }),
  strict({
    httpGet: strict({
      path: z.enum(['/healthz', '/readyz']),
      port: z.string(),
      httpHeaders: z.array(strict({ name: z.literal('Host'), value: z.literal('localhost') })),
    }),
    ...Timing,
  }),
])
const Quantity = z.string().regex(/^\d+(m|Mi|Gi)?$/)
const Container = strict({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).optional(),
  envFrom: z.array(strict({ configMapRef: strict({ name: z.literal('fixpoint') }) })).optional(),
  env: z.array(Env).optional(),
  ports: z.array(strict({ name: z.string(), containerPort: z.int() })).optional(),
  readinessProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  securityContext: strict({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true).optional(),
    capabilities: strict({ drop: z.tuple([z.literal('ALL')]) }),
    procMount: z.literal('Unmasked').optional(),
  }),
  resources: strict({
    requests: strict({ cpu: Quantity, memory: Quantity }),
    limits: strict({ memory: Quantity }),
  }),
  volumeMounts: z.array(strict({ name: z.string(), mountPath: z.string().startsWith('/') })),
})
const Pod = strict({
  metadata: strict({ labels: Labels, annotations: Labels.optional() }),
  spec: strict({
    restartPolicy: z.literal('OnFailure').optional(),
    terminationGracePeriodSeconds: z.int().optional(),
    hostUsers: z.literal(false).optional(),
    securityContext: strict({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int().positive(),
      runAsGroup: z.int().positive(),
      fsGroup: z.int().positive(),
      seccompProfile: z.union([
        strict({ type: z.literal('RuntimeDefault') }),
        strict({ type: z.literal('Localhost'), localhostProfile: z.string() }),
      ]),
    }),
    containers: z.array(Container).length(1),
    volumes: z
      .array(strict({ name: z.string(), emptyDir: strict({ sizeLimit: Quantity.optional() }) }))
      .optional(),
  }),
})
const Selector = strict({ matchLabels: Labels })
const Port = strict({ name: z.string(), port: z.int(), targetPort: z.string().optional() })
const Claim = strict({
  metadata: Metadata,
  spec: strict({
    accessModes: z.array(z.literal('ReadWriteOnce')),
    resources: strict({ requests: strict({ storage: Quantity }) }),
  }),
})
const kind = <Kind extends string, Version extends string, Rest extends z.ZodRawShape>(
  name: Kind,
  version: Version,
  rest: Rest,
) => strict({ apiVersion: z.literal(version), kind: z.literal(name), metadata: Metadata, ...rest })
const Manifest = z.discriminatedUnion('kind', [
  kind('Namespace', 'v1', {}),
  kind('ConfigMap', 'v1', { data: Labels }),
  kind('Service', 'v1', {
    spec: strict({ clusterIP: z.literal('None').optional(), selector: Labels, ports: z.array(Port) }),
  }),
  kind('Job', 'batch/v1', { spec: strict({ backoffLimit: z.int(), template: Pod }) }),
  kind('Deployment', 'apps/v1', { spec: strict({ replicas: z.int(), selector: Selector, template: Pod }) }),
  kind('StatefulSet', 'apps/v1', {
    spec: strict({
      serviceName: z.string(),
      replicas: z.int(),
      selector: Selector,
      template: Pod,
      volumeClaimTemplates: z.array(Claim),
    }),
  }),
])

const kustomization = parse(read('kubernetes/kustomization.yaml')) as {
  resources: string[]
  images: { name: string }[]
}
const documents = kustomization.resources.flatMap((name) =>
  parseAllDocuments(read(`kubernetes/${name}`), { strict: true, uniqueKeys: true }).map((document) => ({
    name,
    errors: document.errors,
    value: document.toJS() as unknown,
  })),
)
const manifests = documents.map(({ value }) => Manifest.parse(value))
const pods = manifests.flatMap((one) => ('spec' in one && 'template' in one.spec ? [one.spec] : []))

/** Parses a command line as the program does, without running it. */
function check(args: readonly string[]): void {
  const [first = '', second = ''] = args
  const group = buildProgram('0', async () => undefined).commands.find((one) => one.name() === first)
  const command = group?.commands.find((one) => one.name() === second) ?? group
  expect(command, args.join(' ')).toBeDefined()
  const known = command?.options.map(({ long }) => long)
  for (const word of args.filter((one) => one.startsWith('--'))) expect(known).toContain(word)
}

const settingVariables = new Set(
  settingsIn(settings).map(({ path }) => `FIXPOINT_${path.join('_').toUpperCase()}`),
)
const knownVariables = ['FIXPOINT_DATABASE', 'FIXPOINT_TOKEN', 'FIXPOINT_HOME']
const checkVariable = (name: string): void => {
  if (name.startsWith('FIXPOINT_') && !knownVariables.includes(name)) expect(settingVariables).toContain(name)
}

describe('the Kubernetes manifests', () => {
  it('are YAML without a fault', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  })

  it('name every file of their folder, and only images that are there', () => {
    expect([...kustomization.resources, 'kustomization.yaml'].toSorted()).toEqual(
      readdirSync(join(folder, 'kubernetes')).toSorted(),
    )
    expect(kustomization.images.map(({ name }) => name)).toEqual(['fixpoint'])
    for (const { template } of pods)
      expect(template.spec.containers[0]?.image).toMatch(/^(fixpoint|[\w./-]+:[\w.-]*\d[\w.-]*)$/)
  })

  it('select the pods that they mean, mount what they declare, and probe ports that there are', () => {
    for (const spec of pods) {
      const { template } = spec
      if ('selector' in spec) expect(template.metadata.labels).toMatchObject(spec.selector.matchLabels)
      const [container] = template.spec.containers
      const claims =
        'volumeClaimTemplates' in spec ? spec.volumeClaimTemplates.map(({ metadata }) => metadata.name) : []
      const volumes = [...(template.spec.volumes ?? []).map(({ name }) => name), ...claims]
      expect(container?.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted())
      for (const probe of [container?.readinessProbe, container?.livenessProbe])
        if (probe && 'httpGet' in probe)
          expect(container?.ports?.map(({ name }) => name)).toContain(probe.httpGet.port)
    }
    for (const one of manifests)
      if (one.kind === 'Service')
        expect(pods.map(({ template }) => template.metadata.labels)).toContainEqual(one.spec.selector)
  })

  it('give the program words and variables that it knows, and name only keys that the Secret has', () => {
    const secret = read('kubernetes/configuration.yaml')
    expect(pods.length).toBe(4)
    for (const { template } of pods)
      for (const { image, args = [], env = [] } of template.spec.containers) {
        if (image === 'fixpoint') check(args)
        for (const one of env) {
          checkVariable(one.name)
          if ('valueFrom' in one)
            expect(secret).toContain(`--from-literal=${one.valueFrom.secretKeyRef.key}=`)
        }
      }
    for (const one of manifests) if (one.kind === 'ConfigMap') Object.keys(one.data).forEach(checkVariable)
  })

  it('give workers what the jail needs, more time to stop than their grace, and a read-only file system', () => {
    const own = pods.filter(({ template }) => template.spec.containers[0]?.image === 'fixpoint')
    for (const { template } of own) {
      const [container] = template.spec.containers
      expect(container?.securityContext.readOnlyRootFilesystem).toBe(true)
      const grace = Number.parseInt(container?.args?.[container.args.indexOf('--grace') + 1] ?? '0', 10) || 0
      expect(template.spec.terminationGracePeriodSeconds ?? 30).toBeGreaterThan(grace)
    }
    const worker = own.find(({ template }) => template.spec.containers[0]?.name === 'worker')?.template.spec
    expect([
      worker?.hostUsers,
      worker?.containers[0]?.securityContext.procMount,
      worker?.securityContext.seccompProfile.type,
    ]).toEqual([false, 'Unmasked', 'Localhost'])
  })
})

const Service = strict({
  image: z.string(),
  build: strict({ context: z.literal('..'), dockerfile: z.literal('deploy/Dockerfile') }).optional(),
  restart: z.enum(['unless-stopped', 'on-failure']),
  read_only: z.literal(true).optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.tuple([z.literal('ALL')]).optional(),
  environment: Labels,
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  ports: z.array(z.string().startsWith('127.0.0.1:')).optional(),
  volumes: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  deploy: strict({ replicas: z.int() }).optional(),
  healthcheck: strict({
    test: z.array(z.string()),
    interval: z.string(),
    timeout: z.string(),
    retries: z.int(),
  }).optional(),
  depends_on: z
    .union([
      z.array(z.string()),
      z.record(
        z.string(),
        strict({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }),
      ),
    ])
    .optional(),
})
const Compose = strict({
  name: z.string(),
  'x-fixpoint': z.unknown(),
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
})

test('the compose file depends on what it has, keeps no password, and gives the program words that it knows', () => {
  const text = read('compose.yaml')
  const { services, volumes } = Compose.parse(parse(text, { merge: true }))
  for (const {
    image,
    command = [],
    environment,
    depends_on: after = {},
    volumes: mounts = [],
  } of Object.values(services)) {
    for (const name of Array.isArray(after) ? after : Object.keys(after))
      expect(Object.keys(services)).toContain(name)
    for (const mount of mounts.filter((one) => /^\w/.test(one)))
      expect(Object.keys(volumes)).toContain(mount.split(':')[0])
    expect(image).toMatch(/^(fixpoint|[\w./-]+:[\w.-]+)$/)
    expect(image).not.toContain('latest')
    if (image === 'fixpoint') check(command)
    Object.keys(environment).forEach(checkVariable)
    for (const [name, value] of Object.entries(environment))
      if (/PASSWORD|TOKEN|KEY/.test(name)) expect(value).toMatch(/^\$\{\w+:[?-]\}$/)
  }
  expect(services['worker']?.security_opt).toContain('seccomp=./seccomp.json')
})

test('the seccomp profile leaves the jail what it calls, and takes what nobody needs', () => {
  const profile = JSON.parse(read('seccomp.json')) as {
    defaultAction: string
    syscalls: { names: string[]; action: string }[]
  }
  const refused = profile.syscalls.flatMap(({ names }) => names)
  expect([profile.defaultAction, profile.syscalls[0]?.action]).toEqual(['SCMP_ACT_ALLOW', 'SCMP_ACT_ERRNO'])
  for (const name of [
    'clone',
    'clone3',
    'unshare',
    'setns',
    'mount',
    'umount2',
    'pivot_root',
    'seccomp',
    'prctl',
    'capset',
  ])
    expect(refused).not.toContain(name)
  for (const name of ['bpf', 'kexec_load', 'init_module', 'keyctl', 'open_by_handle_at', 'ptrace'])
    expect(refused).toContain(name)
})

test('the Dockerfile pins what it starts from, ends as nobody special, and leaves no package lists behind', () => {
  const lines = read('Dockerfile')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const instructions = lines.map((line) => line.split(/\s+/, 1)[0] ?? '')
  const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'VOLUME', 'USER', 'EXPOSE', 'ENTRYPOINT', 'CMD']
  for (const one of instructions) expect(known).toContain(one)
  for (const line of lines.filter((one) => one.startsWith('FROM')))
    expect(line).toMatch(/^FROM [\w./-]+:\d+\.\d+\.\d+[\w.-]*( AS \w+)?$/)
  for (const line of lines.filter((one) => one.includes('apt-get install')))
    expect(line).toMatch(/--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/)
  expect(lines.findLast((line) => line.startsWith('USER'))).toBe('USER 10001:10001')
  expect(instructions.lastIndexOf('RUN')).toBeLessThan(instructions.lastIndexOf('USER'))
  for (const line of lines.filter((one) => /^(ENTRYPOINT|CMD) /.test(one)))
    expect(() => JSON.parse(line.replace(/^\w+ /, ''))).not.toThrow()
  check(JSON.parse((lines.at(-1) ?? '').replace('CMD ', '')) as string[])
})

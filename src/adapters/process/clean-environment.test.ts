import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BASE_ENVIRONMENT, cleanEnvironment, withoutCheckoutPrograms } from './clean-environment.ts'

describe('clean environment', () => {
  it('lets through what the list names, by name or by prefix, and adds the extra variables', () => {
    const source = { PATH: '/bin', LC_ALL: 'C', LANGUAGE_X: 'no', HOME: '/home/u', UNSET: undefined }
    expect(cleanEnvironment(source, ['PATH', 'LC_*', 'UNSET'], { HOME: '/tmp/home' })).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      HOME: '/tmp/home',
    })
  })

  it('drops secrets and everything that makes a program load code or act elsewhere', () => {
    const names = [
      'GITHUB_TOKEN',
      'ANTHROPIC_API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'PGPASSWORD',
      'SSH_AUTH_SOCK',
      'GIT_DIR',
      'GIT_SSH_COMMAND',
      'NODE_OPTIONS',
      'NODE_PATH',
      'LD_PRELOAD',
      'DYLD_INSERT_LIBRARIES',
      'npm_config_registry',
      'BASH_ENV',
      'PYTHONSTARTUP',
      'FIXPOINT_RUN',
      'XDG_RUNTIME_DIR',
    ]
    const source = Object.fromEntries(names.map((name) => [name, 'x']))
    expect(cleanEnvironment(source, BASE_ENVIRONMENT)).toEqual({})
    expect(Object.keys(cleanEnvironment(source, ['*']))).toEqual(['XDG_RUNTIME_DIR'])
  })

  it('lets a secret through only when its full name is listed', () => {
    const source = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: 'url' }
    expect(cleanEnvironment(source, ['ANTHROPIC_*'])).toEqual({ ANTHROPIC_BASE_URL: 'url' })
    expect(cleanEnvironment(source, ['ANTHROPIC_API_KEY'])).toEqual({ ANTHROPIC_API_KEY: 'key' })
  })

  it('drops the programs that npm finds in the checkout, and none of the person’s own', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fixpoint-environment-')))
    mkdirSync(join(folder, 'checkout/.git'), { recursive: true })
    mkdirSync(join(folder, 'checkout/packages/one'), { recursive: true })
    const offered = ['node_modules/.bin', 'packages/one/node_modules/.bin', 'node_modules/x/bin']
    const own = [join(folder, 'node_modules/.bin'), join(folder, 'checkout/.venv/bin'), '/usr/bin']
    const PATH = [...offered.map((name) => join(folder, 'checkout', name)), ...own].join(delimiter)
    const cleaned = withoutCheckoutPrograms({ PATH, A: 'a' }, join(folder, 'checkout/packages/one'))
    rmSync(folder, { recursive: true })
    expect(cleaned).toEqual({ PATH: own.join(delimiter), A: 'a' })
  })

  it('drops relative entries of PATH, which would let the working directory choose the programs', () => {
    const source = { PATH: '/usr/bin:.:node_modules/.bin::/bin' }
    expect(cleanEnvironment(source, ['PATH'])).toEqual({ PATH: '/usr/bin:/bin' })
  })
})

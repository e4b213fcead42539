import { describe, expect, it } from 'vitest'
import { Fault } from '../fault.ts'
import {
  allowedTransitions,
  formatCode,
  IssueStatus,
  moveIssue,
  priorityOf,
  type Actor,
  type Issue,
} from './issue.ts'

const allowed: Readonly<Record<Actor, Readonly<Record<IssueStatus, readonly IssueStatus[]>>>> = {
  person: {
    open: ['resolved', 'ignored', 'duplicate'],
    in_progress: [],
    resolved: ['open', 'merged'],
    merged: [],
    failed: ['open', 'resolved', 'ignored', 'duplicate'],
    ignored: ['open'],
    duplicate: ['open'],
  },
  engine: {
    open: ['in_progress', 'ignored', 'duplicate'],
    in_progress: ['open', 'resolved', 'failed', 'ignored'],
    resolved: ['open', 'merged'],
    merged: [],
    failed: ['open', 'in_progress'],
    ignored: ['open'],
    duplicate: ['open'],
  },
}

describe('the lifecycle table', () => {
  for (const actor of ['person', 'engine'] as const)
    for (const from of IssueStatus.options)
      for (const to of IssueStatus.options)
        it(`${actor}: ${from} → ${to}`, () => {
          const issue = { code: 'BE-001', status: from } as Issue
          if (allowed[actor][from].includes(to)) expect(moveIssue(issue, to, actor).status).toBe(to)
          else expect(() => moveIssue(issue, to, actor)).toThrow(Fault)
        })

  it('a refusal names the moves that are allowed', () => {
    const issue = { code: 'BE-001', status: 'merged' } as Issue
    expect(() => moveIssue(issue, 'open', 'person')).toThrow('BE-001 is merged and cannot become open')
    expect(allowedTransitions('open', 'person')).toEqual(['resolved', 'ignored', 'duplicate'])
  })
})

it.each([
  ['BE', 1, 'BE-001'],
  ['GEN', 42, 'GEN-042'],
  ['FE', 12345, 'FE-12345'],
] as const)('%s %i is %s', (issueClass, number, code) => expect(formatCode(issueClass, number)).toBe(code))

describe('priority', () => {
  const of = (severity: Issue['severity'], category: string, flagged_by: string[]) =>
    priorityOf({ severity, category, flagged_by })
  it('puts severity first, security before style, agreement on top, never above 100', () => {
    expect(of('critical', 'general', ['a'])).toBeGreaterThan(of('major', 'general', ['a']))
    expect(of('minor', 'security', ['a'])).toBeGreaterThan(of('minor', 'style', ['a']))
    expect(of('minor', 'general', ['a', 'b'])).toBeGreaterThan(of('minor', 'general', ['a']))
    expect(of('critical', 'security', ['a', 'b', 'c', 'd'])).toBe(100)
  })
})

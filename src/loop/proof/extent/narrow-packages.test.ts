import { expect, it } from 'vitest'
import { narrowToPackages } from './narrow-packages.ts'

const go = (run: string) =>
  narrowToPackages(run, { runner: 'go', names: ['./a', './b'], areAllByDefault: true })
const cargo = (run: string, areAllByDefault = true) =>
  narrowToPackages(run, { runner: 'cargo', names: ['-p a', '-p b'], areAllByDefault })

it.each([
  ['go test ./...', 'go test -v ./a ./b'],
  ['go test -race -count=1 ./...', 'go test -v -race -count=1 ./a ./b'],
  ['go test ./... -json', 'go test -json ./a ./b'],
  ['go test -timeout 30s ./...', null],
  ['go test', null],
  ['go test ./a/...', null],
  ['go test ./... && echo', null],
  ['go vet ./...', null],
])('%s becomes %j', (run, expected) => {
  expect(go(run)).toBe(expected)
})

it.each([
  ['cargo test', 'cargo test -p a -p b'],
  [
    'cargo test --workspace --locked -- --test-threads=1',
    'cargo test --locked -p a -p b -- --test-threads=1',
  ],
  ['cargo test name', null],
  ['cargo test --workspace --exclude=c', null],
  ['cargo test -p c', null],
  ['cargo clippy --workspace', null],
])('%s becomes %j', (run, expected) => {
  expect(cargo(run)).toBe(expected)
})

it('needs the flag for all members where the root is a package itself', () => {
  expect(cargo('cargo test', false)).toBeNull()
  expect(cargo('cargo test --all', false)).toBe('cargo test -p a -p b')
  expect(
    narrowToPackages('go test ./...', { runner: 'go', names: ['./$(id)'], areAllByDefault: true }),
  ).toBeNull()
})

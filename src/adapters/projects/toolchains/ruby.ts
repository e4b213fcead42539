import { inFolder, pathFrom, type CheckoutFiles } from '../evidence/checkout.ts'
import { guessCommand, nothingFound, type Detect, type Toolchain } from '../evidence/detection.ts'
import { firstEvidence, type Evidence } from '../evidence/evidence.ts'

const rspec: readonly Evidence[] = [
  ['.rspec', null],
  ['spec/spec_helper.rb', null],
]
const rakeTest: readonly Evidence[] = [
  ['Rakefile', /^.*\b(?:Rake::TestTask|Minitest::TestTask)\b/m],
  ['Rakefile', /^\s*task\s*\(?:?["']?test\b/m],
]
const rails: readonly Evidence[] = [['bin/rails', null]]
const rubocop: readonly Evidence[] = [['.rubocop.yml', null]]

/** What Bundler runs for a gem or an application with a Gemfile. */
const detectRuby: Detect = async (checkout, folder) => {
  const gemfile = inFolder(folder, 'Gemfile')
  if (!(await checkout.hasFile(gemfile))) return nothingFound
  const seen = (evidence: readonly Evidence[]): Promise<string | null> =>
    firstEvidence(checkout, folder, evidence)
  const test = await testCommand(checkout, folder, seen)
  const style = await seen(rubocop)
  const commands = [
    ...(test ? [test] : []),
    ...(style ? [guessCommand('lint', 'bundle exec rubocop', style)] : []),
  ]
  return { ...nothingFound, commands, setup: { value: 'bundle install', why: gemfile } }
}

async function testCommand(
  checkout: CheckoutFiles,
  folder: string,
  seen: (evidence: readonly Evidence[]) => Promise<string | null>,
) {
  const specs = await seen(rspec)
  if (specs) return guessCommand('test', 'bundle exec rspec', specs)
  const task = await seen(rakeTest)
  if (task) return guessCommand('test', 'bundle exec rake test', task)
  const tests = checkout.files.some((file) => /^test\/.*_test\.rb$/.test(pathFrom(folder, file) ?? ''))
  const application = tests ? await seen(rails) : null
  return application ? guessCommand('test', 'bin/rails test', application) : null
}

export const ruby: Toolchain = {
  name: 'ruby',
  manifest: /^Gemfile$/,
  lock: /^Gemfile\.lock$/,
  detect: detectRuby,
}

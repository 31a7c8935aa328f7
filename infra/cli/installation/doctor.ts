// `./watchkeeper doctor`: examines the installation, running or stopped, and says what to do. Changes nothing.
import type { Command } from 'commander'
import { counted } from '#shared/text/counted.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { examine, type NamedFinding } from '../../doctor/examine.ts'
import { look } from '../../doctor/look/look.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import type { JsonOption } from '../noun.ts'
import { productVersion } from '../product-version.ts'
import { printJson, say } from '../terminal/printing.ts'
import { startProgress } from '../terminal/progress.ts'

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('examine settings, bus, store, clocks, certificates, versions and disk, and say what to do; changes nothing')
    .option('--json', 'print JSON, for scripts')
    .action(runDoctor)
}

async function runDoctor({ json }: JsonOption): Promise<void> {
  const clock = createSystemClock()
  const progress = startProgress('the installation is examined …')
  let findings: NamedFinding[]
  try {
    findings = examine(await look({ environment: process.env, version: productVersion, clock }), process.env)
  } finally {
    clock.stop()
    progress.end()
  }
  const faults = findings.filter(({ standing }) => standing === 'fault').length
  if (json) printJson({ well: faults === 0, findings })
  else for (const finding of findings) print(finding)
  if (faults > 0) throw new StartError(`${counted(faults, 'fault')}: begin with the first.`, exitCodes.failed)
}

function print({ check, standing, what, why, remedy }: NamedFinding): void {
  say(`${(standing === 'fault' ? 'FAULT' : standing).padEnd(8)} ${check}: ${what}`)
  if (why !== '') say(`         Why it matters: ${why}`)
  if (remedy !== '') say(`         What to do: ${remedy}`)
}

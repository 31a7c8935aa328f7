// Program: baseline of checks. It checks at full speed by `node:http`, with a fresh connection for each check, without schedule, state or
// store. Arguments: origin of the target, number of paths, number of checks at once, seconds of warm-up, seconds of measurement.
import { get } from 'node:http'

const [origin = '', paths = '1', atOnce = '1', warmUpSeconds = '1', seconds = '1'] = process.argv.slice(2)

export interface BareFigures {
  checks: number
  failed: number
  elapsedMs: number
  /** CPU time of this process, ms. */
  cpuMs: number
}

let checks = 0
let failed = 0
let next = 0
let ended = false

function check(): void {
  if (ended) return
  next = (next + 1) % Number(paths)
  const done = (good: boolean) => {
    checks++
    if (!good) failed++
    check()
  }
  get(`${origin}/m/${next}`, { agent: false }, response => {
    response.resume()
    response.once('end', () => done(response.statusCode === 200))
  }).once('error', () => done(false))
}

for (let i = 0; i < Number(atOnce); i++) check()

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

setTimeout(() => {
  const before = { checks, failed, at: performance.now(), cpuMs: cpuMs() }
  setTimeout(() => {
    const figures: BareFigures = {
      checks: checks - before.checks,
      failed: failed - before.failed,
      elapsedMs: performance.now() - before.at,
      cpuMs: cpuMs() - before.cpuMs,
    }
    ended = true
    process.send?.(figures, () => process.exit(0))
  }, Number(seconds) * 1_000)
}, Number(warmUpSeconds) * 1_000)
process.on('disconnect', () => process.exit(0))

// Metrics of a keeper.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type KeeperMetrics = ReturnType<typeof createKeeperMetrics>

export function createKeeperMetrics(registry: Registry) {
  const registers = [registry]
  const name = (short: string) => `watchkeeper_keeper_${short}`
  const counter = (short: string, help: string) => new Counter({ name: name(short), help, registers })
  const gauge = (short: string, help: string) => new Gauge({ name: name(short), help, registers })
  const histogram = (short: string, help: string, buckets: number[]) =>
    new Histogram({ name: name(short), help, buckets, registers })
  const silenceHelp = 'For how long silence alerts still wait after reports could not be taken, by kind of report'
  const lagBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]
  return {
    inputs: new Counter({ name: name('inputs_total'), help: 'Inputs stepped, by kind', labelNames: ['kind'], registers }),
    rounds: counter('rounds_total', 'Commit rounds'),
    roundInputs: histogram('round_inputs', 'Inputs in a round', [1, 4, 16, 64, 256, 1024, 4096]),
    commits: counter('subject_commits_total', 'Subjects replaced'),
    refusals: counter('refused_commits_total', 'Subject replacements refused by their revision'),
    retries: counter('retries_total', 'Store or bus calls tried again'),
    deadLetters: counter('dead_letters_total', 'Dead letters: inputs that could not be judged'),
    gaps: counter('stream_gaps_total', 'Times the stream no longer had what the checkpoint expected'),
    partitions: gauge('partitions', 'Partitions held'),
    silenceHeld: new Gauge({ name: name('silence_held_seconds'), help: silenceHelp, labelNames: ['reports'], registers }),
    subjectsCached: gauge('subjects_cached', 'Subjects in memory'),
    misses: counter('subject_misses_total', 'Subjects that a round needed and that were not in memory'),
    rollUps: counter('roll_ups_total', 'Rows of roll-ups written'),
    judgingLag: histogram('judging_lag_seconds', 'From the instant of a report or deadline to its commit', lagBuckets),
  }
}

// Metrics of a keeper.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface KeeperMetrics {
  inputs: Counter<'kind'>
  rounds: Counter
  roundInputs: Histogram
  commits: Counter
  refusals: Counter
  retries: Counter
  deadLetters: Counter
  gaps: Counter
  partitions: Gauge
  subjectsCached: Gauge
  silenceHeld: Gauge<'reports'>
  judgingLag: Histogram
  rollUps: Counter
}

export function createKeeperMetrics(registry: Registry): KeeperMetrics {
  const registers = [registry]
  const name = (short: string) => `watchkeeper_keeper_${short}`
  return {
    inputs: new Counter({ name: name('inputs_total'), help: 'Inputs stepped, by kind', labelNames: ['kind'], registers }),
    rounds: new Counter({ name: name('rounds_total'), help: 'Commit rounds', registers }),
    roundInputs: new Histogram({
      name: name('round_inputs'),
      help: 'Inputs in a round',
      buckets: [1, 4, 16, 64, 256, 1024, 4096],
      registers,
    }),
    commits: new Counter({ name: name('subject_commits_total'), help: 'Subjects replaced', registers }),
    refusals: new Counter({
      name: name('refused_commits_total'),
      help: 'Subject replacements refused by their revision',
      registers,
    }),
    retries: new Counter({ name: name('retries_total'), help: 'Store or bus calls tried again', registers }),
    deadLetters: new Counter({
      name: name('dead_letters_total'),
      help: 'Dead letters: inputs that could not be judged',
      registers,
    }),
    gaps: new Counter({
      name: name('stream_gaps_total'),
      help: 'Times the stream no longer had what the checkpoint expected',
      registers,
    }),
    partitions: new Gauge({ name: name('partitions'), help: 'Partitions held', registers }),
    silenceHeld: new Gauge({
      name: name('silence_held_seconds'),
      help: 'For how long silence alerts still wait after reports could not be taken, by kind of report',
      labelNames: ['reports'],
      registers,
    }),
    subjectsCached: new Gauge({ name: name('subjects_cached'), help: 'Subjects in memory', registers }),
    rollUps: new Counter({ name: name('roll_ups_total'), help: 'Rows of roll-ups written', registers }),
    judgingLag: new Histogram({
      name: name('judging_lag_seconds'),
      help: 'From the instant of a report or deadline to its commit',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers,
    }),
  }
}

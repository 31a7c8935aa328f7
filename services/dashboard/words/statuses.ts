// The word of each state, and its tone (colour and sign), the same on all pages.

export type Tone = 'up' | 'down' | 'no-data' | 'pending' | 'recovering' | 'maintenance' | 'closed'

/** The states of a monitor and of an incident, as the API names them. */
const states: Readonly<Record<string, { word: string; tone: Tone }>> = {
  up: { word: 'Up', tone: 'up' },
  ok: { word: 'OK', tone: 'up' },
  down: { word: 'Down', tone: 'down' },
  problem: { word: 'Problem', tone: 'down' },
  no_data: { word: 'No data', tone: 'no-data' },
  noData: { word: 'No data', tone: 'no-data' },
  unknown: { word: 'Not known yet', tone: 'no-data' },
  pending: { word: 'Pending', tone: 'pending' },
  recovering: { word: 'Recovering', tone: 'recovering' },
  maintenance: { word: 'In maintenance', tone: 'maintenance' },
  running: { word: 'Running', tone: 'maintenance' },
  closed: { word: 'Closed', tone: 'closed' },
}

/** An unknown state is shown by its name, with the tone of missing data. */
export const stateOf = (name: string): { word: string; tone: Tone } => states[name] ?? { word: name, tone: 'no-data' }

/** Style of an element in the colour of a tone, as `--tone`. */
export const inTone = (tone: Tone) => ({ '--tone': `var(--${tone})` })

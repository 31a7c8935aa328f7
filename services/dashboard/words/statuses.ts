// Words and tones (colour and sign) of all states. All pages use the same words and tones.

export type Tone = 'up' | 'down' | 'no-data' | 'pending' | 'recovering' | 'maintenance' | 'closed'

/** The states of a monitor and of an incident, as the API names them. */
const states: Readonly<Record<string, { word: string; tone: Tone }>> = {
  up: { word: 'Up', tone: 'up' },
  ok: { word: 'OK', tone: 'up' },
  down: { word: 'Down', tone: 'down' },
  problem: { word: 'Problem', tone: 'down' },
  no_data: { word: 'No data', tone: 'no-data' },
  noData: { word: 'No data', tone: 'no-data' },
  partly_known: { word: 'Partly known', tone: 'no-data' },
  unknown: { word: 'Not known yet', tone: 'no-data' },
  pending: { word: 'Pending', tone: 'pending' },
  recovering: { word: 'Recovering', tone: 'recovering' },
  maintenance: { word: 'In maintenance', tone: 'maintenance' },
  running: { word: 'Running', tone: 'maintenance' },
  closed: { word: 'Closed', tone: 'closed' },
}

/** Returns the word and the tone of a state. For an unknown state, returns its name and the tone of missing data. */
export const stateOf = (name: string): { word: string; tone: Tone } => states[name] ?? { word: name, tone: 'no-data' }

/** Returns a style that sets `--tone` to the colour of a tone. */
export const inTone = (tone: Tone) => ({ '--tone': `var(--${tone})` })

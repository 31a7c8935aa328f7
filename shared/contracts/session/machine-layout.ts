// Layout of the drawing of a state machine: positions in pixels, and texts. `npm run layouts` computes the layout, and the dashboard draws
// it.

interface Area {
  x: number
  y: number
  width: number
  height: number
}

export interface LaidState extends Area {
  /** Name of the state in the machine. */
  id: string
  title: string
  /** Description of the state, broken into lines. */
  about: string[]
  isFinal: boolean
}

/** One arrow for each pair of states with a transition. For transitions that every open state has, `from` is the name of the machine. */
export interface LaidArrow {
  /** `<from>-><to>` */
  id: string
  from: string
  to: string
  /** SVG path of the arrow's line, without the tip. */
  line: string
  /** SVG path of the tip. The drawing has no SVG markers, because their ids clash if a page shows two drawings. */
  tip: string
  label: Area & { events: string[] }
}

/** Box in the drawing that shows the events which every open state handles. */
export interface LaidFrame extends Area {
  /** Events that do not change the state. */
  stays: string[]
}

export interface MachineLayout {
  machine: string
  direction: 'right' | 'down'
  width: number
  height: number
  states: LaidState[]
  arrows: LaidArrow[]
  frame: LaidFrame | null
  start: { x: number; y: number; line: string; tip: string }
}

/** Layout of the small drawing in the card of an open incident: states, and the arrows between states. */
export interface SmallLayout extends Pick<MachineLayout, 'width' | 'height'> {
  states: Pick<LaidState, 'id' | keyof Area>[]
  arrows: Pick<LaidArrow, 'from' | 'to' | 'line' | 'tip'>[]
}

// One simulated process, from its start to its death. All input of the process passes through this class, so that the process can die at
// any await, or be suspended and resumed. Messages that a process sent before its death stay sent.
export class Life {
  readonly name: string
  #state: 'running' | 'frozen' | 'dead' = 'running'
  readonly #held: (() => void)[] = []
  #calls = 0
  #doom: { call: number; isDone: boolean; onDeath: () => void } | null = null

  constructor(name: string) {
    this.name = name
  }

  isDead(): boolean {
    return this.#state === 'dead'
  }

  isFrozen(): boolean {
    return this.#state === 'frozen'
  }

  /** Runs the handler of an input: at once, after the resumption if the process is suspended, or never if it is dead. */
  enter(run: () => void): void {
    if (this.#state === 'running') run()
    else if (this.#state === 'frozen') this.#held.push(run)
  }

  /** Returns a promise that settles only while this process runs. */
  pass<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        value => this.enter(() => resolve(value)),
        error => this.enter(() => reject(error)),
      )
    })
  }

  /** Lets the process die in its `callsAhead`th call from now. `isDone` true: the receiver still carries out that call. */
  doom(callsAhead: number, isDone: boolean, onDeath: () => void): void {
    this.#doom = { call: this.#calls + callsAhead, isDone, onDeath }
  }

  /** Counts a call to the outside. Returns the call's outcome if this process dies in it. */
  call(): 'goes on' | 'dies before' | 'dies after' {
    this.#calls += 1
    if (this.#doom === null || this.#calls < this.#doom.call || this.#state === 'dead') return 'goes on'
    const { isDone, onDeath } = this.#doom
    this.#doom = null
    onDeath()
    return isDone ? 'dies after' : 'dies before'
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen'
  }

  thaw(): void {
    if (this.#state !== 'frozen') return
    this.#state = 'running'
    for (const run of this.#held.splice(0)) this.enter(run)
  }

  die(): void {
    this.#state = 'dead'
    this.#held.length = 0
  }
}

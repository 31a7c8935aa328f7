// Custom subject of generation 2 beside the simulated Resources, judged by the oracles of its own simulation (custom/checks.ts). After
// injected faults only its records and acknowledged reports are checked, because the simulation of custom subjects injects faults of its
// own.
import { makeChanges, makeDeeds } from '../../../keeper/generate.ts'
import { checkRecords, checkTold, checkVerdicts } from '../../custom/checks.ts'
import { House } from '../../custom/house.ts'
import type { Keepers } from '../../custom/keepers.ts'
import { Random } from '../../random.ts'
import type { Struck } from '../blows.ts'

const second = 1_000

export interface NeighbourDeal {
  at: number
  live(): Promise<void>
}

export class CustomNeighbour {
  readonly #house: House
  readonly #seed: number
  readonly #checking: Random

  constructor(seed: number, keepers: Keepers) {
    this.#seed = seed
    this.#house = new House(new Random(seed, 'custom neighbour'), keepers)
    this.#checking = new Random(seed, 'custom checks')
  }

  async begin(lengthMs: number): Promise<NeighbourDeal[]> {
    await this.#house.make()
    const { world } = this.#house
    const deeds = makeDeeds(new Random(this.#seed, 'custom deeds'), world, lengthMs)
    const changes = makeChanges(new Random(this.#seed, 'custom changes'), world, deeds, lengthMs)
    return [...deeds, ...changes].map(({ at, command }) => ({ at, live: () => this.#house.send(command) }))
  }

  /** Checks the verdicts at random moments of a run without injected faults. */
  async look(struck: readonly Struck[]): Promise<void> {
    const { keepers } = this.#house
    if (struck.length > 0 || !this.#checking.chance(0.2)) return
    await keepers.clock.live(3 * second)
    await checkVerdicts(this.#house)
  }

  async end(struck: readonly Struck[]): Promise<{ faults: string[]; messages: number }> {
    const house = this.#house
    await checkRecords(house)
    const isCalm = struck.length === 0
    if (isCalm) await checkVerdicts(house)
    const messages = isCalm ? (await checkTold(house, [])).count.told : 0
    return { faults: house.faults.map(fault => `custom subject: ${fault}`), messages }
  }
}

// Who holds how much of something that the whole process shares, such as connections or bytes of bodies. Counted by holder (a key, a session
// or an Observation address) and by client network, so that one holder in many networks is found, and many holders in one network too.

export interface Held {
  /** Key, session or Observation address, such as `key:a1b2`; before one is accepted, the network. */
  holder: string
  /** Network of the client (`#shared/net/client-network.ts`). */
  network: string
}

export interface Group<Member> {
  amount: number
  /** Amount of each member; the members that have been counted longest come first. */
  members: Map<Member, number>
}

interface Network<Member> {
  amount: number
  holders: Map<string, Group<Member>>
}

export class Holdings<Member extends Held> {
  readonly #holders = new Map<string, Group<Member>>()
  readonly #networks = new Map<string, Network<Member>>()

  /** Counts a further amount of a member. The member's `holder` and `network` must not change while it is counted. */
  add(member: Member, amount: number): void {
    addTo(this.#holders, member, amount)
    let network = this.#networks.get(member.network)
    if (network === undefined) {
      network = { amount: 0, holders: new Map() }
      this.#networks.set(member.network, network)
    }
    network.amount += amount
    addTo(network.holders, member, amount)
  }

  /** Counts nothing of a member any longer. */
  remove(member: Member): void {
    removeFrom(this.#holders, member)
    const network = this.#networks.get(member.network)
    if (network === undefined) return
    network.amount -= removeFrom(network.holders, member)
    if (network.holders.size === 0) this.#networks.delete(member.network)
  }

  /**
   * Returns the group that holds most: of a holder, or if all holders of one network together hold more than any holder, of the holder with
   * most in this network. `amount` is the amount of the holder or of the network. Null: nothing is held.
   */
  largest(): Group<Member> | null {
    const holder = largestOf(this.#holders.values())
    const network = largestOf(this.#networks.values())
    if (holder === null || network === null || holder.amount >= network.amount) return holder
    return { amount: network.amount, members: (largestOf(network.holders.values()) ?? holder).members }
  }
}

function addTo<Member extends Held>(groups: Map<string, Group<Member>>, member: Member, amount: number): void {
  let group = groups.get(member.holder)
  if (group === undefined) {
    group = { amount: 0, members: new Map() }
    groups.set(member.holder, group)
  }
  group.amount += amount
  group.members.set(member, (group.members.get(member) ?? 0) + amount)
}

/** Returns the amount that was counted of the member. */
function removeFrom<Member extends Held>(groups: Map<string, Group<Member>>, member: Member): number {
  const group = groups.get(member.holder)
  const amount = group?.members.get(member) ?? 0
  if (group === undefined) return amount
  group.amount -= amount
  group.members.delete(member)
  if (group.members.size === 0) groups.delete(member.holder)
  return amount
}

function largestOf<Sized extends { amount: number }>(groups: Iterable<Sized>): Sized | null {
  let largest: Sized | null = null
  for (const group of groups) if (largest === null || group.amount > largest.amount) largest = group
  return largest
}

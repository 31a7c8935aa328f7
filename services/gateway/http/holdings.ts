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

export class Holdings<Member extends Held> {
  readonly #holders = new Map<string, Group<Member>>()
  readonly #networks = new Map<string, Group<Member>>()

  /** Counts a further amount of a member. The member's `holder` and `network` must not change while it is counted. */
  add(member: Member, amount: number): void {
    addTo(this.#holders, member.holder, member, amount)
    addTo(this.#networks, member.network, member, amount)
  }

  /** Counts nothing of a member any longer. */
  remove(member: Member): void {
    removeFrom(this.#holders, member.holder, member)
    removeFrom(this.#networks, member.network, member)
  }

  /**
   * Returns the group that holds most: of a holder, or if all holders of one network together hold more than any holder, of the holder with
   * most in this network. `amount` is the amount of the holder or of the network. Null: nothing is held.
   */
  largest(): Group<Member> | null {
    const holder = largestOf(this.#holders.values())
    const network = largestOf(this.#networks.values())
    if (holder === null || network === null || holder.amount >= network.amount) return holder
    const within = new Map<string, Group<Member>>()
    for (const [member, amount] of network.members) addTo(within, member.holder, member, amount)
    return { amount: network.amount, members: (largestOf(within.values()) ?? network).members }
  }
}

function addTo<Member>(groups: Map<string, Group<Member>>, name: string, member: Member, amount: number): void {
  let group = groups.get(name)
  if (group === undefined) {
    group = { amount: 0, members: new Map() }
    groups.set(name, group)
  }
  group.amount += amount
  group.members.set(member, (group.members.get(member) ?? 0) + amount)
}

function removeFrom<Member>(groups: Map<string, Group<Member>>, name: string, member: Member): void {
  const group = groups.get(name)
  if (group === undefined) return
  group.amount -= group.members.get(member) ?? 0
  group.members.delete(member)
  if (group.members.size === 0) groups.delete(name)
}

function largestOf<Member>(groups: Iterable<Group<Member>>): Group<Member> | null {
  let largest: Group<Member> | null = null
  for (const group of groups) if (largest === null || group.amount > largest.amount) largest = group
  return largest
}

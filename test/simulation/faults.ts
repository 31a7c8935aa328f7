// Start and end of each kind of fault.
import { subjects } from '#shared/bus/subjects.ts'
import { partitionOf } from '#shared/text/hash.ts'
import type { Fault } from './plan.ts'
import type { Seat, World } from './world.ts'

export function causeFault(world: World, fault: Fault): void {
  world.note(
    `fault: ${fault.kind} for ${(fault.forMs / 1_000).toFixed(1)} s, which ${fault.which}, share ${fault.share.toFixed(2)}`,
  )
  causes[fault.kind](world, fault)
}

type Cause = (world: World, fault: Fault) => void

const seatOf = (world: World, { which }: Fault): Seat => world.seats[which % world.seats.length] as Seat

const causes: Record<Fault['kind'], Cause> = {
  crash: (world, fault) => {
    const seat = seatOf(world, fault)
    world.end(seat)
    beginLater(world, seat, fault.forMs)
  },
  'crash in a call': (world, fault) => {
    const seat = seatOf(world, fault)
    const die = () => {
      world.end(seat)
      beginLater(world, seat, fault.forMs)
    }
    seat.life?.doom(1 + Math.floor(fault.share * 40), fault.which % 2 === 0, die)
  },
  stop: (world, fault) => {
    const seat = seatOf(world, fault)
    const { life, service } = seat
    if (life === null || service === null || life.isFrozen()) return
    service.stop().catch(error => world.fault(`a keeper could not stop: ${error}`))
    world.time.schedule(5_000, () => {
      if (seat.life === life) world.end(seat)
      beginLater(world, seat, fault.forMs)
    })
  },
  join: (world, fault) => {
    if (world.seats.length >= 4) return
    const seat: Seat = { life: null, bus: null, service: null, pace: { rate: 1 } }
    world.seats.push(seat)
    beginLater(world, seat, fault.share * 1_000)
  },
  freeze: (world, fault) => {
    const { life } = seatOf(world, fault)
    life?.freeze()
    world.time.schedule(fault.forMs, () => life?.thaw())
  },
  'cut keeper': (world, fault) => cut(world, seatOf(world, fault).bus, fault.forMs),
  'cut all': (world, fault) => {
    const buses = [...world.seats.map(seat => seat.bus), ...world.proberBuses, world.peopleBus, world.gatewayBus]
    for (const bus of buses) cut(world, bus, fault.forMs)
  },
  'flaky store': (world, fault) => {
    const { store } = world.weather
    Object.assign(store, { failures: fault.share * 0.5, late: fault.which % 2 === 0 ? fault.share * 0.5 : 0 })
    world.time.schedule(fault.forMs, () => Object.assign(store, { failures: 0, late: 0 }))
  },
  'slow store': (world, fault) => {
    const { store } = world.weather
    store.latencyMs = 2 + fault.share ** 3 * 1_500
    world.time.schedule(fault.forMs, () => Object.assign(store, { latencyMs: 0 }))
  },
  'store gone': (world, fault) => {
    const { store } = world.weather
    store.isGone = true
    world.time.schedule(fault.forMs, () => Object.assign(store, { isGone: false }))
  },
  'gateways gone': (world, fault) => {
    world.setGateways(false)
    world.time.schedule(fault.forMs, () => world.setGateways(true))
  },
  'flaky bus': (world, fault) => {
    const { bus } = world.weather
    Object.assign(bus, { failures: fault.share * 0.4, latencyMs: fault.which * 20 })
    world.time.schedule(fault.forMs, () => Object.assign(bus, { failures: 0, latencyMs: 0 }))
  },
  'slow bus': (world, fault) => {
    const { bus } = world.weather
    bus.latencyMs = 100 + fault.share * 6_000
    world.time.schedule(fault.forMs, () => Object.assign(bus, { latencyMs: 0 }))
  },
  'lost replies': (world, fault) => {
    const { weather } = world
    Object.assign(weather, { lostReplies: fault.share, lostCommands: fault.share / 2, doubledCommands: 0.5 })
    world.time.schedule(fault.forMs, () => Object.assign(weather, { lostReplies: 0, lostCommands: 0, doubledCommands: 0 }))
  },
  'slow feed': (world, fault) => {
    world.weather.feedMs = 20 + fault.share * 3_000
    world.time.schedule(fault.forMs, () => Object.assign(world.weather, { feedMs: 0 }))
  },
  'late reports': (world, fault) => {
    const prober = world.probers[fault.which % world.probers.length]!
    prober.isHeldBack = true
    world.time.schedule(fault.forMs, () => {
      prober.isHeldBack = false
      prober.flush()
    })
  },
  'doubled reports': (world, fault) => {
    for (const prober of world.probers) prober.doubles = fault.share
    world.time.schedule(fault.forMs, () => {
      for (const prober of world.probers) prober.doubles = 0
    })
  },
  poison: (world, fault) => poison(world, fault),
  'stream recreated': world => {
    world.hub.recreateStream()
    void world.ledger.forget(world.partitions, 0)
  },
  'stream truncated': (world, fault) => {
    void world.observer.observations.state().then(({ lastSequence }) => {
      const kept = Math.max(0, lastSequence - Math.ceil(fault.share * 5))
      world.hub.truncateStream(kept)
      void world.ledger.forget(world.partitions, kept)
    })
  },
  'no leader': (world, fault) => {
    const parts = (['leases', 'presence', 'checks', 'revocations', 'observations'] as const).filter(
      (part, i) => (fault.which & (1 << i)) > 0 && (part !== 'observations' || world.plan.profile === 'rough'),
    )
    // Both buckets with check entries lose their leader together, as far as a keeper can tell.
    world.hub.depose(parts.includes('checks') ? [...parts, 'check-pages'] : parts, [world.observer])
    world.time.schedule(fault.forMs, () => world.hub.depose([]))
  },
  'deaf feeds': (world, fault) => {
    const { bus } = seatOf(world, fault)
    if (bus === null) return
    const isDeaf = (partition: number) => (partition + fault.which) % 3 === 0
    world.hub.deafen(bus, isDeaf)
    world.time.schedule(fault.forMs, () => {
      try {
        world.hub.deafen(bus, () => false)
      } catch {
        // The process that could not hear has died meanwhile, so there is nothing to undo.
      }
    })
  },
  suspend: (world, fault) => world.time.suspend(fault.forMs),
  'stepped clock': (world, fault) => {
    const seat = seatOf(world, fault)
    seat.pace.rate = fault.which % 2 === 0 ? 1.01 : 0.99
  },
}

function beginLater(world: World, seat: Seat, afterMs: number): void {
  world.time.schedule(afterMs, () => {
    if (seat.life === null) world.begin(seat)
  })
}

function cut(world: World, bus: Seat['bus'], forMs: number): void {
  if (bus === null) return
  world.hub.cut(bus)
  world.time.schedule(forMs, () => {
    try {
      world.hub.restore(bus)
    } catch {
      // The process that caused the fault has died in between.
    }
  })
}

/** Sends malformed reports, reports with false identities, and reports on which every step fails. */
function poison(world: World, fault: Fault): void {
  const { subjectId, spells } = world.plan.sites[fault.which % world.plan.sites.length]!
  const { observations } = world.observer
  const locationId = Object.keys(spells)[0]!
  const phases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 }
  const result = { rev: 1_000_000, slotAt: world.time.now(), ageMs: 0, ok: false, error: 'planted', statusCode: null, phases }
  const partition = partitionOf(subjectId)
  const planted: [string, unknown][] = [
    [subjects.observation(locationId, subjectId), 'not an object'],
    [subjects.observation(locationId, subjectId), { ...result, slotAt: 'soon' }],
    [subjects.observation(locationId, subjectId), { ...result, slotAt: Number.MAX_SAFE_INTEGER }],
    [subjects.observation('nope', subjectId), result],
    [`obs.${(partition + 1) % 64}.${locationId}.${subjectId}`, result],
    [subjects.observation(locationId, `${subjectId}x`), result],
  ]
  for (const [subject, body] of planted) observations.publish(subject, body).catch(() => undefined)
}

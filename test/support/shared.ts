// Things that are expensive to start, which all test files of one process share: in the lanes of `npm test` until the last file has ended
// (test/run/lane.ts), otherwise until the end of the only file.

export interface Shared<Thing> {
  thing: Thing
  /** False: the thing has ended on its own, so the next file starts a new one. */
  works(): boolean
  stop(): Promise<unknown>
}

/** Things by name. Absent outside of lanes. */
const ofLane = (globalThis as { sharedInLane?: Map<string, Promise<Shared<unknown>>> }).sharedInLane

/** Returns the thing of this name, which `start` starts if no earlier file of the process did. */
export async function share<Thing>(
  t: { teardown(run: () => unknown): void },
  name: string,
  start: () => Promise<Shared<Thing>>,
): Promise<Thing> {
  if (ofLane === undefined) {
    const { thing, stop } = await start()
    t.teardown(stop)
    return thing
  }
  // A start that failed is tried again.
  const earlier = (await ofLane.get(name)?.catch(() => undefined)) as Shared<Thing> | undefined
  if (earlier?.works()) return earlier.thing
  const started = start()
  ofLane.set(name, started)
  return (await started).thing
}

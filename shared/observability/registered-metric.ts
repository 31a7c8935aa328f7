// One metric for each name and registry, because several services of the same kind may share a registry.
import type { Metric, Registry } from 'prom-client'

/** Returns the registered metric of this name, or the result of `make`, which registers it. */
export function registeredMetric<M extends Metric>(registry: Registry, name: string, make: (name: string) => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make(name)
}

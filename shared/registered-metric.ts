// One metric a name and registry: services of one kind may share a registry.
import type { Metric, Registry } from 'prom-client'

/** The metric of this name where the registry has one, else what `make` makes; `make` registers it. */
export function registeredMetric<M extends Metric>(registry: Registry, name: string, make: (name: string) => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make(name)
}

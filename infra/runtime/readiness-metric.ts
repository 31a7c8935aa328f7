// Readiness as a metric, so that an alert needs no probe of its own.
import { Gauge, type Registry } from 'prom-client'

/** `unready`: the reasons that /readyz shows. Called at each scrape. */
export function measureReadiness(registry: Registry, unready: () => Promise<string[]>): void {
  new Gauge({
    name: 'watchkeeper_ready',
    help: '1 while /readyz responds 200',
    registers: [registry],
    async collect() {
      this.set((await unready()).length === 0 ? 1 : 0)
    },
  })
}

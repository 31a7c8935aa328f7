// Template with two checks and a signal of senders, for the tests of checked signals.
export const shop = {
  key: 'shop',
  version: 1,
  name: 'Shop',
  fields: [
    { key: 'host', type: 'string', required: true },
    { key: 'port', type: 'integer', default: 443 },
    { key: 'places', type: 'location_list', required: true },
    { key: 'every', type: 'integer', default: 60 },
    { key: 'needed', type: 'enum', options: ['at_least_one', 'majority', 'all'], default: 'at_least_one' },
    { key: 'slow_ms', type: 'number', default: 500 },
    { key: 'hello', type: 'secret' },
  ],
  signals: [
    {
      key: 'page',
      kind: 'check',
      check: { type: 'tcp', host: { meta: 'host' }, port: { meta: 'port' }, send: { meta: 'hello' } },
      every_seconds: { meta: 'every' },
      locations: { meta: 'places' },
      agreement: { meta: 'needed' },
    },
    {
      key: 'name',
      kind: 'check',
      check: { type: 'dns', name: { meta: 'host' } },
      every_seconds: 300,
      locations: { meta: 'places' },
      agreement: 'all',
    },
    { key: 'till', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Look at the shop.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'page', field: 'status', operator: 'eq', operand: 'problem' },
    },
    {
      key: 'slow',
      action: 'Look at the load.',
      wait: { confirm_after: 300, recover_after: 0 },
      decision: {
        all: [
          { signal: 'page', field: 'value', operator: 'gt', operand: { meta: 'slow_ms' } },
          { not: { signal: 'till', field: 'status', operator: 'eq', operand: 'problem' } },
        ],
      },
    },
    {
      key: 'unnamed',
      action: 'Look at the zone.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: {
        any: [
          { signal: 'name', field: 'status', operator: 'eq', operand: 'problem' },
          { not: { signal: 'name', field: 'known' } },
        ],
      },
    },
  ],
}

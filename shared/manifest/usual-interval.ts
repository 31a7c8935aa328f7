/** Interval of a website monitor that is made without naming one, in the form of the dashboard and on the command line. */
export const usualInterval = { interval_value: 1, interval_unit: 'MINUTE' } as const

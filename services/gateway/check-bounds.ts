// Bounds that the installation sets for checks. Reference: docs/reference/v3.md, 6.13.

/** CHECK_INTERVAL_MIN and WORKSPACE_CHECKS_PER_MINUTE. */
export interface CheckBounds {
  /** Least interval of a check, s. */
  intervalMin: number
  /** Largest number of checks a minute of a workspace; 0: any number. */
  perMinute: number
}

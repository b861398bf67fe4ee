/** Megabytes of large bodies that one process receives or processes at a time, for all customers. */
export const TOTAL_UPLOAD_MEGABYTES = 160;

/**
 * Bounds of the megabytes that one customer may upload at a time: at least the largest body of a route, which would always
 * be refused otherwise, and so few that another customer's largest body still fits into `TOTAL_UPLOAD_MEGABYTES`.
 */
export const UPLOAD_MEGABYTES = { min: 40, max: TOTAL_UPLOAD_MEGABYTES - 40 } as const;

/**
 * Pace at which the large bodies of one customer are read, all together: two of forty megabytes take eight seconds. Faster
 * ones would take the processor from the requests of others.
 */
export const UPLOAD_MEGABYTES_PER_SECOND = 10;

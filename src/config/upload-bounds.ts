/**
 * Bounds of the megabytes that one customer may upload at a time: at least the largest body of a route, which would always
 * be refused otherwise, and so few that another customer's largest body still fits into the 160 MB of the process.
 */
export const UPLOAD_MEGABYTES = { min: 40, max: 120 } as const;

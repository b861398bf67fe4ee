import type { ResponsePath } from '../formatted-error';

/** Applies the renames of output rewrites to a path in a subgraph's response. */
export function renamePath(path: ResponsePath, renames: ReadonlyMap<string, string>): ResponsePath {
  if (renames.size === 0) return path;
  return path.map((segment) => (typeof segment === 'string' ? (renames.get(segment) ?? segment) : segment));
}

// SPDX-License-Identifier: Apache-2.0
// The names that ONNX files give to dynamic dimensions.
import type {PortInfo} from '../backend/records.js';
import type {NamedPort} from '../files/model_files.js';
import {PartialShape} from '../tensor/partial_shape.js';

/** Adds the names in the file to ports, for the dimensions that are still dynamic. */
export function withDimensionNames(ports: readonly PortInfo[], named: readonly NamedPort[]): PortInfo[] {
  const names = new Map(named.map(({name, dimensions}) => [name, dimensions]));
  return ports.map((port) => {
    const given = port.names.map((name) => names.get(name)).find((dimensions) => dimensions);
    if (given === undefined || port.shape === '[...]') return port;
    const sizes = new PartialShape(port.shape).getDimensions();
    if (sizes.length !== given.length) return port;
    const dimensionNames = given.map((name, i) => (typeof sizes[i] === 'number' && sizes[i] >= 0 ? '' : name));
    return dimensionNames.some((name) => name !== '') ? {...port, dimensionNames} : port;
  });
}

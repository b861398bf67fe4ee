// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {YieldVault} from "./YieldVault.sol";

/// A vault that states any number of decimals.
contract OddDecimalsVault is YieldVault {
    uint8 private immutable stated;

    constructor(IERC20 asset_, uint8 stated_) YieldVault(asset_, "Odd Vault", "ODD", 0, 0) {
        stated = stated_;
    }

    function decimals() public view override returns (uint8) {
        return stated;
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// The token of a stock. Its manager mints and burns it.
contract StockToken is ERC20 {
    address public immutable manager;

    error NotManager();

    constructor(string memory name_, string memory symbol_, address manager_) ERC20(name_, symbol_) {
        manager = manager_;
    }

    modifier onlyManager() {
        if (msg.sender != manager) revert NotManager();
        _;
    }

    function mint(address to, uint256 value) external onlyManager {
        _mint(to, value);
    }

    function burn(address from, uint256 value) external onlyManager {
        _burn(from, value);
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Burns 1% of every transfer, so that the recipient gets less than the sender sent.
contract TollToken is ERC20 {
    uint256 public constant TOLL_BPS = 100;

    constructor(string memory name_, string memory symbol_) ERC20(name_, symbol_) {}

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 toll = from == address(0) || to == address(0) ? 0 : (value * TOLL_BPS) / 10_000;
        if (toll != 0) super._update(from, address(0), toll);
        super._update(from, to, value - toll);
    }
}

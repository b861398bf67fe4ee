// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A dollar token whose issuer can pause it and bar accounts, with the interface and messages of the large issuers.
contract RestrictedToken is ERC20 {
    address public immutable issuer;
    bool public paused;
    mapping(address account => bool) public isBlacklisted;

    event Pause();
    event Unpause();
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    modifier onlyIssuer() {
        require(msg.sender == issuer, "Ownable: caller is not the owner");
        _;
    }

    constructor(string memory name_, string memory symbol_, address issuer_) ERC20(name_, symbol_) {
        issuer = issuer_;
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function pause() external onlyIssuer {
        paused = true;
        emit Pause();
    }

    function unpause() external onlyIssuer {
        paused = false;
        emit Unpause();
    }

    function blacklist(address account) external onlyIssuer {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external onlyIssuer {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!paused, "Pausable: paused");
        require(!isBlacklisted[from] && !isBlacklisted[to], "Blacklistable: account is blacklisted");
        super._update(from, to, value);
    }
}
